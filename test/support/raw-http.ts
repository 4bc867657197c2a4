import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ServerAddress } from './start-server.ts';

export interface RawResponse {
  status: number;
  /** Lower-case names; the last value of a repeated one. */
  headers: Record<string, string>;
  text: string;
}

/** One connection on which a test writes arbitrary bytes. */
export class RawConnection {
  readonly socket: Socket;
  readonly #closed: Promise<unknown>;
  #received = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    this.#closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {
      // Closed by the other side: tests read the data before.
    });
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
    });
  }

  static async open({ url }: Pick<ServerAddress, 'url'>): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  write(...parts: Array<string | Buffer>): void {
    for (const part of parts) this.socket.write(part);
  }

  /** Sends `chunk` repeatedly, as fast as it is accepted, until the other side closes. Resolves to the number of sent bytes. */
  async pour(chunk: Buffer): Promise<number> {
    while (!this.socket.destroyed && this.socket.writable) {
      if (!this.socket.write(chunk)) await this.#first('drain');
    }
    return this.socket.bytesWritten;
  }

  /** The response, once the other side has closed the connection. */
  async respond(): Promise<RawResponse> {
    await this.#closed;
    return parse(this.#received);
  }

  /** The response, as soon as its body of known length is complete. */
  async next(): Promise<RawResponse> {
    for (;;) {
      const response = this.#received.includes('\r\n\r\n') ? parse(this.#received) : undefined;
      if (response && response.text.length >= Number(response.headers['content-length'] ?? 0)) return response;
      await this.#first('data');
      if (this.socket.destroyed) return parse(this.#received);
    }
  }

  /** The event, or the end of the connection. */
  #first(event: 'drain' | 'data'): Promise<unknown> {
    return Promise.race([new Promise((resolve) => this.socket.once(event, resolve)), this.#closed]);
  }

  close(): void {
    this.socket.destroy();
  }
}

function parse(received: string): RawResponse {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = lines.map((one) => [one.split(':')[0]?.toLowerCase() ?? '', one.replace(/^[^:]*:\s*/, '')]);
  return { status: Number(line.split(' ')[1] ?? 0), headers: Object.fromEntries(headers), text: rest.join('\r\n\r\n') };
}
