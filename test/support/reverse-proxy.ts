import { createServer, type IncomingHttpHeaders, request as sendHttp } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReverseProxy {
  /** Where the outside world would come in. */
  address: string;
  stop(): Promise<void>;
}

/** A tunnel's end on this computer: passes everything on to the hub, with the headers that `rewrite` gives it. */
export async function startReverseProxy(
  target: string,
  rewrite: (headers: IncomingHttpHeaders) => IncomingHttpHeaders,
): Promise<ReverseProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = sendHttp({ hostname, port, method, path, headers: rewrite(headers) }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
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
