import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Ids } from '../platform/lib/ids.ts';
import type { AuthorizationSocketMessage } from './authorization.service.ts';

export interface AuthSocketsOptions {
  ids: Ids;
  /** The status line of a refusal; undefined when the host guard accepts the request at this path. */
  refusal(request: IncomingMessage): string | undefined;
}

/** Largest number of waiting pages. A forgotten open page costs almost nothing; a thousand of them are an attack. */
const MAX_SOCKETS = 1000;
/** Limit per origin, so that the pages of one origin cannot block those of others. */
const MAX_SOCKETS_PER_ORIGIN = 50;
/** Pages send no messages. */
const MAX_MESSAGE_BYTES = 1024;
const PATH = '/';
const NOT_FOUND = '404 Not Found';

/** Sockets on which pages wait for the outcome of an authorization (auth-and-connect.md 1.6). */
export class AuthSockets {
  readonly #options: AuthSocketsOptions;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, clientTracking: false });
  /** Pages that still wait. */
  readonly #waiting = new Map<string, WebSocket>();
  /** All open sockets. A page closes its socket itself after the outcome. */
  readonly #open = new Set<WebSocket>();
  /** Number of open sockets per `Origin` header. */
  readonly #perOrigin = new Map<string, number>();

  constructor(options: AuthSocketsOptions) {
    this.#options = options;
  }

  /** Takes over an upgrade of the HTTP server. Every other path is refused. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = (request.url ?? '').replace(/\?.*$/s, '');
    const { origin } = request.headers;
    const refusal = path === PATH ? this.#options.refusal(request) : NOT_FOUND;
    const isFull = this.#open.size >= MAX_SOCKETS || this.#countOf(origin) >= MAX_SOCKETS_PER_ORIGIN;
    if (refusal !== undefined) refuse(socket, refusal);
    else if (isFull) refuse(socket, '503 Service Unavailable');
    else this.#server.handleUpgrade(request, socket, head, (accepted) => this.#accept(accepted, origin));
  }

  /** Sends the outcome to a waiting page once and removes its id. Does nothing when the page has disconnected. */
  notify(clientId: string, message: AuthorizationSocketMessage): void {
    const socket = this.#waiting.get(clientId);
    if (!socket) return;
    this.#waiting.delete(clientId);
    socket.send(JSON.stringify(toMessage(message)));
  }

  stop(): void {
    for (const socket of this.#open) socket.terminate();
    this.#server.close();
  }

  /** Programs send no origin; they count only in the total. */
  #countOf(origin: string | undefined): number {
    return origin === undefined ? 0 : (this.#perOrigin.get(origin) ?? 0);
  }

  #accept(socket: WebSocket, origin: string | undefined): void {
    const clientId = this.#options.ids.uuid();
    this.#waiting.set(clientId, socket);
    this.#open.add(socket);
    if (origin !== undefined) this.#perOrigin.set(origin, this.#countOf(origin) + 1);
    socket.on('close', () => {
      this.#waiting.delete(clientId);
      this.#open.delete(socket);
      if (origin !== undefined) this.#leave(origin);
    });
    socket.on('error', () => socket.terminate());
    socket.send(JSON.stringify({ message_type: 'connection_ack', ws_client_id: clientId }));
  }

  #leave(origin: string): void {
    const left = this.#countOf(origin) - 1;
    if (left > 0) this.#perOrigin.set(origin, left);
    else this.#perOrigin.delete(origin);
  }
}

function toMessage(message: AuthorizationSocketMessage): Record<string, unknown> {
  if (message.kind === 'success') {
    return {
      message_type: 'success',
      provider_config_key: message.integrationKey,
      connection_id: message.connectionId,
      is_pending: message.isPending,
    };
  }
  return {
    message_type: 'error',
    provider_config_key: message.integrationKey,
    connection_id: message.connectionId,
    error_type: message.type,
    error_desc: message.message,
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => {
    // The socket is being closed anyway.
  });
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
