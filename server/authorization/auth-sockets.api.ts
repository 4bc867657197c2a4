import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Ids } from '../platform/lib/ids.ts';
import type { AuthorizationSocketMessage } from './authorization.service.ts';

/** Largest number of waiting pages. A forgotten open page costs almost nothing; a thousand of them are an attack. */
const MAX_SOCKETS = 1000;
/** Limit per origin, so that the pages of one origin cannot block those of others. */
const MAX_SOCKETS_PER_ORIGIN = 50;
/** Pages send no messages. */
const MAX_MESSAGE_BYTES = 1024;
const PATH = '/';
const NOT_FOUND = '404 Not Found';

/** Sockets on which pages wait for the outcome of an authorization (auth-and-connect.md 1.6). */
export function createAuthSockets({
  ids,
  refusal: refusalOf,
}: {
  ids: Ids;
  /** The status line of a refusal; undefined when the host guard accepts the request at this path. */
  refusal(request: IncomingMessage): string | undefined;
}) {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, clientTracking: false });
  /** Pages that still wait. */
  const waiting = new Map<string, WebSocket>();
  /** All open sockets. A page closes its socket itself after the outcome. */
  const sockets = new Set<WebSocket>();
  /** Number of open sockets per `Origin` header. */
  const perOrigin = new Map<string, number>();

  /** Programs send no origin; they count only in the total. */
  function countOf(origin: string | undefined): number {
    return origin === undefined ? 0 : (perOrigin.get(origin) ?? 0);
  }

  function accept(socket: WebSocket, origin: string | undefined): void {
    const clientId = ids.uuid();
    waiting.set(clientId, socket);
    sockets.add(socket);
    if (origin !== undefined) perOrigin.set(origin, countOf(origin) + 1);
    socket.on('close', () => {
      waiting.delete(clientId);
      sockets.delete(socket);
      if (origin !== undefined) leave(origin);
    });
    socket.on('error', () => socket.terminate());
    socket.send(JSON.stringify({ message_type: 'connection_ack', ws_client_id: clientId }));
  }

  function leave(origin: string): void {
    const left = countOf(origin) - 1;
    if (left > 0) perOrigin.set(origin, left);
    else perOrigin.delete(origin);
  }

  return {
    /** Takes over an upgrade of the HTTP server. Every other path is refused. */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      const path = (request.url ?? '').replace(/\?.*$/s, '');
      const { origin } = request.headers;
      const refusal = path === PATH ? refusalOf(request) : NOT_FOUND;
      const isFull = sockets.size >= MAX_SOCKETS || countOf(origin) >= MAX_SOCKETS_PER_ORIGIN;
      if (refusal !== undefined) refuse(socket, refusal);
      else if (isFull) refuse(socket, '503 Service Unavailable');
      else server.handleUpgrade(request, socket, head, (accepted) => accept(accepted, origin));
    },
    /** Sends the outcome to a waiting page once and removes its id. Does nothing when the page has disconnected. */
    notify(clientId: string, message: AuthorizationSocketMessage): void {
      const socket = waiting.get(clientId);
      if (!socket) return;
      waiting.delete(clientId);
      socket.send(JSON.stringify(toMessage(message)));
    },
    stop(): void {
      for (const socket of sockets) socket.terminate();
      server.close();
    },
  };
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
