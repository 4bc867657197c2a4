import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** The port is taken by another program. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
}

/** Takes over a connection that asks for another protocol. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Listens on the loopback addresses of both IP versions, on one port. */
export class Listener {
  readonly #handler: RequestListener;
  readonly #upgrade: UpgradeListener | undefined;
  readonly #servers: Server[] = [];

  constructor(handler: RequestListener, upgrade?: UpgradeListener) {
    this.#handler = handler;
    this.#upgrade = upgrade;
  }

  /** Resolves to the port; 0 asks for a free one. */
  async start(port: number): Promise<number> {
    const taken = await this.#listen('127.0.0.1', port);
    try {
      await this.#listen('::1', taken);
    } catch (error) {
      // A computer without IPv6, or a port that only the other version has taken: IPv4 is enough.
      if (!(error instanceof Error) || !('code' in error)) throw error;
    }
    return taken;
  }

  /** Takes no new connections, lets running requests end within `graceMs`, then cuts them. */
  async stop(graceMs: number): Promise<void> {
    await Promise.all(
      this.#servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            const cut = setTimeout(() => server.closeAllConnections(), graceMs);
            server.close(() => {
              clearTimeout(cut);
              resolve();
            });
            server.closeIdleConnections();
          }),
      ),
    );
  }

  #listen(host: string, port: number): Promise<number> {
    const server = createServer({ keepAliveTimeout: 65_000, shouldUpgradeCallback: asksForSocket }, this.#handler);
    const upgrade = this.#upgrade;
    if (upgrade) server.on('upgrade', (request, socket, head) => endingItsSocket(upgrade, request, socket, head));
    return new Promise((resolve, reject) => {
      // Also after the start, when no file descriptor is left to accept with: the next connection may succeed.
      server.on('error', (error: NodeJS.ErrnoException) => {
        const isTaken = error.code === 'EADDRINUSE' && host === '127.0.0.1';
        reject(
          isTaken
            ? new PortInUseError(`Port ${port} is used by another program. Stop it, or set HOMEPORT_PORT.`)
            : error,
        );
      });
      server.listen(port, host, () => {
        this.#servers.push(server);
        resolve((server.address() as AddressInfo).port);
      });
    });
  }
}

/** An upgrade that fails must not leave its socket hanging; the process writes the error down and goes on (main.ts). */
function endingItsSocket(upgrade: UpgradeListener, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  try {
    upgrade(request, socket, head);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Clients that offer HTTP/2 on the side (`Upgrade: h2c`) get their answer as everybody does. */
function asksForSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}
