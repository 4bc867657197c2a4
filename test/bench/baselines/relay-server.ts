import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import express from 'express';
import { Pool } from 'undici';

/** An Express route that relays through an undici pool to the origin in the argument and adds a bearer key. */
const pool = new Pool(process.argv[2] ?? '', { connections: 50 });
const app = express();
app.disable('x-powered-by');
app.get('/relay/*path', async (request, response) => {
  const upstream = await pool.request({
    path: request.originalUrl.slice('/relay'.length),
    method: 'GET',
    headers: { authorization: 'Bearer practice-bench' },
  });
  response.status(upstream.statusCode);
  for (const [name, value] of Object.entries(upstream.headers)) {
    if (value !== undefined && name !== 'connection' && name !== 'keep-alive' && name !== 'transfer-encoding')
      response.set(name, value);
  }
  await pipeline(upstream.body, response);
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`);
});
