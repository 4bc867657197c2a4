import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** One failure of a provider, as bytes on the wire. */
export interface Fault {
  /** Sent at once. */
  first: Buffer | string;
  /** Sent once the caller has received a part of the response. */
  later?: Buffer | string;
  /** What then happens to the socket. */
  end: 'close' | 'reset' | 'hold';
}

/** Headers of every response: none of them may appear in an error of the hub. */
export const PROVIDER_HEADERS = ['x-provider', 'set-cookie', 'etag', 'content-encoding'];
const HEAD = 'HTTP/1.1 200 OK\r\nx-provider: yes\r\nset-cookie: a=1\r\netag: "e"\r\n';
const LARGE_BYTES = 5_000_000;
const BEGIN = 'x'.repeat(300_000);

const chunked = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const zipped = gzipSync(randomBytes(200_000));

export const FAULTS = {
  'a small body that is cut': { first: `${HEAD}content-length: 5000\r\n\r\nhello`, end: 'close' },
  'a small body that is reset': { first: `${HEAD}content-length: 5000\r\n\r\nhello`, end: 'reset' },
  'a small body that stalls': { first: `${HEAD}content-length: 5000\r\n\r\nhello`, end: 'hold' },
  'a small encoded body that is cut': {
    first: `${HEAD}content-encoding: gzip\r\ncontent-length: 5000\r\n\r\n`,
    end: 'close',
  },
  'a large body that is cut': {
    first: `${HEAD}content-length: ${LARGE_BYTES}\r\n\r\n${BEGIN}`,
    later: 'end',
    end: 'close',
  },
  'a large body that stalls': { first: `${HEAD}content-length: ${LARGE_BYTES}\r\n\r\n${BEGIN}`, end: 'hold' },
  'a large body that is cut before its first byte': {
    first: `${HEAD}content-length: ${LARGE_BYTES}\r\n\r\n`,
    end: 'close',
  },
  'chunks that are broken at once': { first: `${HEAD}transfer-encoding: chunked\r\n\r\nZZ\r\n`, end: 'hold' },
  'chunks that break later': {
    first: `${HEAD}transfer-encoding: chunked\r\n\r\n${chunked('hello')}`,
    later: 'ZZ\r\n',
    end: 'hold',
  },
  'chunks that end without the last one': {
    first: `${HEAD}transfer-encoding: chunked\r\n\r\n${chunked('hello')}`,
    later: chunked('again'),
    end: 'close',
  },
  'two lengths that differ': { first: `${HEAD}content-length: 5\r\ncontent-length: 7\r\n\r\nhello`, end: 'hold' },
  'a length that is no number': { first: `${HEAD}content-length: five\r\n\r\nhello`, end: 'hold' },
  'an impossible status': { first: 'HTTP/1.1 099 Odd\r\nx-provider: yes\r\ncontent-length: 2\r\n\r\n{}', end: 'hold' },
  'no HTTP at all': { first: 'SSH-2.0-OpenSSH_9.6\r\n\r\n', end: 'close' },
  'headers that stall': { first: '', end: 'hold' },
  'half of the headers': { first: HEAD, end: 'hold' },
  'a reset before the headers': { first: '', end: 'reset' },
  'an end before the headers': { first: '', end: 'close' },
  'a body that is not gzip': {
    first: `${HEAD}content-encoding: gzip\r\ncontent-length: 12\r\n\r\nnot gzip.txt`,
    end: 'hold',
  },
  'gzip that breaks later': {
    first: Buffer.concat([
      Buffer.from(`${HEAD}content-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n\r\n`),
      zipped.subarray(0, zipped.length >> 1),
    ]),
    later: Buffer.alloc(zipped.length - (zipped.length >> 1), 'x'),
    end: 'hold',
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** A provider that sends raw bytes: it answers every request with the chosen fault. */
export class FaultyUpstream {
  readonly #server: Server;
  /** Sockets that the hub has opened and not closed. */
  readonly #sockets = new Set<Socket>();
  #fault: Fault = FAULTS['an end before the headers'];
  #requests = 0;

  constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  get requests(): number {
    return this.#requests;
  }

  respondWith(fault: Fault): void {
    this.#fault = fault;
  }

  /** Sends the second part of the fault on the socket that waits for it. */
  goOn(): void {
    for (const socket of this.#sockets) {
      if (this.#fault.later !== undefined) socket.write(this.#fault.later);
      finish(socket, this.#fault);
    }
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {
      // The hub closes a connection that it cannot read, which the test asserts.
    });
    socket.on('data', () => {
      this.#requests++;
      if (this.#fault.first.length > 0) socket.write(this.#fault.first);
      if (this.#fault.later === undefined) finish(socket, this.#fault);
    });
  }
}

function finish(socket: Socket, { end }: Fault): void {
  if (end === 'close') socket.end();
  if (end === 'reset') socket.resetAndDestroy();
}
