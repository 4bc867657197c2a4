import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Handles the requests of one connection one after the other. Node hands over every pipelined request at once; a client
 * that sends many and reads nothing would have all of its answers made and kept in memory.
 */
export function oneAtATime(handler: RequestListener): RequestListener {
  const bySocket = new WeakMap<Socket, RequestListener>();
  return (request, response) => {
    let handle = bySocket.get(request.socket);
    if (!handle) {
      handle = inTurn(request.socket, handler);
      bySocket.set(request.socket, handle);
    }
    handle(request, response);
  };
}

function inTurn(socket: Socket, handler: RequestListener): RequestListener {
  const waiting: Array<[IncomingMessage, ServerResponse]> = [];
  let isBusy = false;
  const start: RequestListener = (request, response) => {
    isBusy = true;
    response.on('close', startNext);
    handler(request, response);
  };
  function startNext(): void {
    isBusy = false;
    const next = waiting.shift();
    if (!next) return;
    if (socket.destroyed) waiting.length = 0;
    else start(...next);
  }
  return (request, response) => {
    if (isBusy) waiting.push([request, response]);
    else start(request, response);
  };
}
