import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Handles the requests of one connection one after the other. Node hands over every pipelined request at once; a client
 * that sends many and reads nothing would have all of its answers made and kept in memory.
 */
export function oneAtATime(handler: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, Array<() => void>>();
  return (request, response) => {
    const { socket } = request;
    const handle = (): void => {
      response.once('close', () => {
        const next = waiting.get(socket)?.shift();
        if (next && !socket.destroyed) next();
        else waiting.delete(socket);
      });
      handler(request, response);
    };
    const queue = waiting.get(socket);
    if (queue) queue.push(handle);
    else {
      waiting.set(socket, []);
      handle();
    }
  };
}
