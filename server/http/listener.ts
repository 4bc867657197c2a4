import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { StartError } from '../lib/start-error.ts';

/** The port is taken by another program. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
}

const LIMITS = {
  keepAliveTimeout: 65_000,
  /** For all headers of a request. */
  headersTimeout: 20_000,
  /** For a whole request: 75 MB at 250 kB a second. A body that stalls is cut sooner (`body-reader.ts`). */
  requestTimeout: 300_000,
  connectionsCheckingInterval: 10_000,
  /** Without a Host header the answer is ours, in the form of every other refusal. */
  requireHostHeader: false,
};
/** Of each address; waiting pages (`auth-sockets.ts`) and open streams are among them. */
const MOST_CONNECTIONS = 4000;
const MOST_HEADERS = 200;
/** Free ports of one address may be taken at the other. */
const MOST_ATTEMPTS = 10;

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

  /** Resolves to the port; 0 asks for a free one. Throws `PortInUseError` when either address is taken. */
  async start(port: number): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      const taken = await this.#listen('127.0.0.1', port);
      try {
        await this.#listen('::1', taken);
        return taken;
      } catch (error) {
        // A computer without IPv6: IPv4 is enough.
        if (hasCode(error, 'EADDRNOTAVAIL', 'EAFNOSUPPORT')) return taken;
        await this.stop(0);
        // `localhost` may mean ::1: another program that listens there would receive secret keys and authorization
        // codes.
        const mayRetry = port === 0 && error instanceof PortInUseError && attempt < MOST_ATTEMPTS;
        if (!mayRetry) throw error;
      }
    }
  }

  /** Takes no new connections, lets running requests end within `graceMs`, then cuts them. */
  async stop(graceMs: number): Promise<void> {
    await Promise.all(
      this.#servers.splice(0).map(
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
    const server = createServer({ ...LIMITS, shouldUpgradeCallback: asksForSocket }, this.#handler);
    server.maxConnections = MOST_CONNECTIONS;
    server.maxHeadersCount = MOST_HEADERS;
    // The reader of the body says "continue", if it reads.
    server.on('checkContinue', this.#handler);
    const upgrade = this.#upgrade;
    if (upgrade) server.on('upgrade', (request, socket, head) => endingItsSocket(upgrade, request, socket, head));
    return new Promise((resolve, reject) => {
      // Also after the start, when no file descriptor is left to accept with: the next connection may succeed.
      server.on('error', (error) => {
        const shown = host.includes(':') ? `[${host}]` : host;
        reject(
          hasCode(error, 'EADDRINUSE')
            ? new PortInUseError(
                `Port ${port} of ${shown} is used by another program. Stop it, or set HOMEPORT_PORT to another port (0 takes a free one).`,
              )
            : hasCode(error, 'EACCES')
              ? new StartError(
                  `This user may not listen on port ${port} (${shown}). Set HOMEPORT_PORT to 1024 or more; the usual one is 3003.`,
                )
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

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
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
