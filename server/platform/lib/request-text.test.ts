import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoAnswerError, requestText } from './request-text.ts';

let server: Server;
let address: string;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      response.destroy();
      return;
    }
    if (request.url === '/moved') return void response.writeHead(302, { location: '/' }).end();
    response.end(
      JSON.stringify({ method: request.method, body: await textOf(request), key: request.headers['x-key'] }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

describe('requestText', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('sends %s with headers and the whole body', async (method) => {
    const body = `{"name":"ü${'x'.repeat(200_000)}"}`;
    const given = method === 'GET' ? {} : { body };

    const { status, text } = await requestText(`${address}/`, { method, headers: { 'x-key': 'one' }, ...given });

    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ method, body: method === 'GET' ? '' : body, key: 'one' });
  });

  it('follows no redirect', async () => {
    const { headers, status } = await requestText(`${address}/moved`);

    expect([status, headers.location]).toEqual([302, '/']);
  });

  it('says that nobody answers: no server, a connection that ends too early', async () => {
    const gone = createServer();
    await once(gone.listen(0, '127.0.0.1'), 'listening');
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));

    await expect(requestText(`http://127.0.0.1:${port}/`)).rejects.toThrow(NoAnswerError);
    await expect(requestText(`${address}/cut`)).rejects.toThrow(NoAnswerError);
  });
});
