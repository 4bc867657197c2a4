import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Bytes of `/big`: more than the proxy sends in one piece, so that it is streamed. */
const BIG = Buffer.alloc(600_000, 'x');
const GZIPPED = gzipSync(JSON.stringify({ packed: true, list: Array.from({ length: 200 }, (_, index) => index) }));

/** The provider of the soak: answers correctly on some paths and badly on the others. It stores nothing. */
export interface SoakUpstream {
  url: string;
  stop(): Promise<void>;
}

export async function startSoakUpstream(): Promise<SoakUpstream> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => respond(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  switch (request.url?.split('?')[0]) {
    case '/big':
      response.writeHead(200, { 'content-type': 'text/plain' });
      return void response.end(BIG);
    case '/gzip':
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      return void response.end(GZIPPED);
    case '/error':
      response.writeHead(500, { 'content-type': 'application/json' });
      return void response.end('{"error":"broken"}');
    case '/cut':
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '5000' });
      return void response.write('short', () => response.destroy());
    case '/reset':
      return void response.destroy();
    case '/slow':
      return void setTimeout(() => response.end('{"slow":true}'), 300);
    default:
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end('{"hello":"world","list":[1,2,3]}');
  }
}
