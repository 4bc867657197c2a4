import type { AddressInfo } from 'node:net';
import express from 'express';

/** The minimal Express server: one JSON response. It is also the provider behind both sides of the proxy case. */
const app = express();
app.disable('x-powered-by');
app.all('/hello', (_request, response) => {
  response.json({ hello: 'world', list: [1, 2, 3] });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`);
});
