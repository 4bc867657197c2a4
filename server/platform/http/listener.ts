import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasErrorCode } from '../lib/error-code.ts';
import { StartError } from '../lib/start-error.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** Another program uses the port. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
}

const LIMITS = {
  keepAliveTimeout: 65_000,
  /** For all headers of a request, in milliseconds. */
  headersTimeout: 20_000,
  /**
   * For a whole request, in milliseconds: 75 MB at 250 kB a second. A body that stalls is cut sooner
   * (`body-reader.ts`).
   */
  requestTimeout: 300_000,
  connectionsCheckingInterval: 10_000,
  /** A missing Host header gets our own error response, in the same form as other refusals. */
  requireHostHeader: false,
};
/** For each address. Waiting pages (`auth-sockets.ts`) and open event streams count too. */
const MAX_CONNECTIONS = 4000;
const MAX_HEADERS = 200;
/** A port that is free on one address may be taken on the other. */
const MAX_ATTEMPTS = 10;

/** Handles a connection whose client asks for another protocol. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export type Listener = ReturnType<typeof createListener>;

/** Listens on the loopback addresses of both IP versions, on one port. */
export function createListener(handler: RequestListener, upgrade?: UpgradeListener) {
  const inTurnHandler = oneAtATime(handler);
  const servers: Server[] = [];

  /** Resolves to the port; 0 asks for a free one. Throws `PortInUseError` when the port is taken on either address. */
  async function start(port: number): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      const taken = await listen('127.0.0.1', port);
      try {
        await listen('::1', taken);
        return taken;
      } catch (error) {
        // This computer has no IPv6, so IPv4 is enough.
        if (hasErrorCode(error, 'EADDRNOTAVAIL', 'EAFNOSUPPORT')) return taken;
        await stop(0);
        // `localhost` may resolve to ::1. Another program that listens there would receive secret keys and
        // authorization codes.
        const mayRetry = port === 0 && error instanceof PortInUseError && attempt < MAX_ATTEMPTS;
        if (!mayRetry) throw error;
      }
    }
  }

  /** Accepts no new connections, lets running requests end within `graceMs`, then closes the rest. */
  async function stop(graceMs: number): Promise<void> {
    await Promise.all(
      servers.splice(0).map(
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

  function listen(host: string, port: number): Promise<number> {
    const server = createServer({ ...LIMITS, shouldUpgradeCallback: asksForSocket }, inTurnHandler);
    server.maxConnections = MAX_CONNECTIONS;
    server.maxHeadersCount = MAX_HEADERS;
    // `body-reader.ts` sends "100 Continue" if it reads the body.
    server.on('checkContinue', inTurnHandler);
    if (upgrade) server.on('upgrade', (request, socket, head) => endingItsSocket(upgrade, request, socket, head));
    return new Promise((resolve, reject) => {
      // Also after the start, when no file descriptor is left for a new connection. The next connection may succeed.
      server.on('error', (error) => {
        const shown = host.includes(':') ? `[${host}]` : host;
        reject(
          hasErrorCode(error, 'EADDRINUSE')
            ? new PortInUseError(
                `Port ${port} of ${shown} is used by another program. Stop it, or set HOMEPORT_PORT to another port (0 takes a free one).`,
              )
            : hasErrorCode(error, 'EACCES')
              ? new StartError(
                  `This user may not listen on port ${port} (${shown}). Set HOMEPORT_PORT to 1024 or more; the usual one is 3003.`,
                )
              : error,
        );
      });
      server.listen(port, host, () => {
        servers.push(server);
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  return { start, stop };
}

/** Destroys the socket when the upgrade fails. The process logs the error and continues (main.ts). */
function endingItsSocket(upgrade: UpgradeListener, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  try {
    upgrade(request, socket, head);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Clients that also offer HTTP/2 (`Upgrade: h2c`) get the normal HTTP/1.1 response. */
function asksForSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}
