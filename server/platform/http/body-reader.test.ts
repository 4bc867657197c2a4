import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { HomeportError } from '../lib/homeport-error.ts';
import { readRequestBody } from './body-reader.ts';

let server: Server;
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** Sends only `parts` of a request body and returns how reading it ended. */
async function readWith(idleMs: number, parts: string[]): Promise<{ socket: Socket; outcome: Promise<unknown> }> {
  let settle: (value: unknown) => void = () => {};
  const outcome = new Promise((resolve) => {
    settle = resolve;
  });
  server = createServer((request, response) => {
    readRequestBody(request, response, { limitBytes: 1000, inflates: true, idleMs }).then(
      (bytes) => settle(bytes.toString()),
      (error: HomeportError) => settle(error.code),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  for (const part of parts) socket.write(part);
  return { socket, outcome };
}

const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n';

describe('readRequestBody', () => {
  it('reads a body in parts', async () => {
    const { outcome } = await readWith(60_000, [HEAD, 'ab', 'cd']);

    expect(await outcome).toBe('abcd');
  });

  it('gives up on a client that stalls', async () => {
    const { outcome } = await readWith(20, [HEAD, 'ab']);

    expect(await outcome).toBe('request_timeout');
  });

  it('ends when the client leaves', async () => {
    const { outcome, socket } = await readWith(60_000, [HEAD, 'ab']);
    await once(server, 'request');
    socket.destroy();

    expect(await outcome).toBe('invalid_body');
  });
});
