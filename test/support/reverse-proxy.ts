import { createServer, type IncomingHttpHeaders, request as sendHttp } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReverseProxy {
  /** The address for the outside world. */
  address: string;
  stop(): Promise<void>;
}

/** The local end of a tunnel: forwards everything to the hub, with the headers that `rewrite` returns. */
export async function startReverseProxy(
  target: string,
  rewrite: (headers: IncomingHttpHeaders) => IncomingHttpHeaders,
): Promise<ReverseProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = sendHttp({ hostname, port, method, path, headers: rewrite(headers) }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
