import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { OpenedCommandRun } from '../../server/egress/dashboard-command-runs.contract.ts';

/** A program within a run that follows no rules: it writes bytes to the proxy of the run. */
export class RunCaller {
  readonly #run: Pick<OpenedCommandRun, 'authority' | 'proxyUrl'>;

  constructor(run: Pick<OpenedCommandRun, 'authority' | 'proxyUrl'>) {
    this.#run = run;
  }

  /** What the proxy answers to these lines; `AUTH` stands for its header. */
  async plain(...lines: string[]): Promise<string> {
    return exchange(await this.#open(), this.#text(lines));
  }

  /** What comes back within a tunnel; the answer to CONNECT when there is no tunnel. */
  async tunnel(
    target: string,
    lines: string[],
    { alpn = ['http/1.1'], servername = target.replace(/:\d+$/, '') }: { alpn?: string[]; servername?: string } = {},
  ): Promise<string> {
    const socket = await this.#open();
    socket.write(this.#text([`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, 'AUTH', '', '']));
    const answer = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())));
    if (!answer.startsWith('HTTP/1.1 200')) return answer;
    const secured = connectSecurely({
      socket,
      ca: this.#run.authority,
      ALPNProtocols: alpn,
      ...(/^[\d.:[\]]+$/.test(servername) ? { host: servername } : { servername }),
    });
    return exchange(secured, this.#text(lines));
  }

  #open(): Promise<Socket> {
    const { hostname, port } = new URL(this.#run.proxyUrl);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => resolve(socket));
      socket.once('error', reject);
    });
  }

  #text(lines: string[]): string {
    const { username, password } = new URL(this.#run.proxyUrl);
    const header = `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    return lines.map((line) => (line === 'AUTH' ? header : line)).join('\r\n');
  }
}

/** Everything until the other side closes, or the failure. */
function exchange(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('error', (error) => resolve(`failed: ${error.message}`));
    socket.once('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.write(text);
  });
}
