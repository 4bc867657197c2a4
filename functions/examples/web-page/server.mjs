// The server of the page: it makes connect sessions, because the secret key must not reach a browser. node server.mjs
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Nango } from '@nangohq/node';

const host = process.env.HOMEPORT ?? 'http://127.0.0.1:3003';
const port = Number(process.env.PORT ?? 4001);
const nango = new Nango({ host, apiKey: process.env.HOMEPORT_SECRET_KEY });
const frontend = dirname(createRequire(import.meta.url).resolve('@nangohq/frontend'));

const routes = {
  /** A session for the person who is signed in to your app; here there is only one. */
  'POST /session': async () => {
    const { data } = await nango.createConnectSession({
      tags: { end_user_id: 'user-1' },
      allowed_integrations: ['practice'],
    });
    return ['application/json', JSON.stringify({ token: data.token, host })];
  },
  'GET /': async () => ['text/html', await readFile(join(import.meta.dirname, 'index.html'))],
};

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const [, file] = /^\/frontend\/([\w.-]+\.js)$/.exec(pathname) ?? [];
  try {
    const route = routes[`${request.method} ${pathname}`];
    const answer = file ? ['text/javascript', await readFile(join(frontend, file))] : await route?.();
    if (!answer) response.writeHead(404).end();
    else response.setHeader('Content-Type', answer[0]).end(answer[1]);
  } catch (error) {
    console.error(error);
    response.writeHead(500).end('The server could not answer; its terminal says why.');
  }
});
server.listen(port, '127.0.0.1', () => console.log(`Open http://127.0.0.1:${server.address().port}`));
