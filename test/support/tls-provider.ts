import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { RunCertificates } from '../../server/egress/run-certificates.ts';

export interface TlsRequest {
  method: string;
  /** Path and query as received. */
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

type Answer = (request: TlsRequest, response: ServerResponse) => void | Promise<void>;

/** An https server on a free loopback port that has a certificate for every name, and records the requests. */
export class TlsProvider {
  readonly requests: TlsRequest[] = [];
  readonly #server: Server;
  #address = '';

  private constructor(certificates: RunCertificates, answer: Answer) {
    const SNICallback = (name: string, done: (error: null, context: SecureContext) => void): void =>
      done(null, certificates.contextOf(name));
    this.#server = createServer({ SNICallback }, (incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { headers, method = '', url = '' } = incoming;
        const request = { method, url, headers, body: Buffer.concat(chunks) };
        this.requests.push(request);
        void answer(request, response);
      });
    });
  }

  static async start(certificates: RunCertificates, answer: Answer): Promise<TlsProvider> {
    const provider = new TlsProvider(certificates, answer);
    await new Promise<void>((resolve, reject) => {
      provider.#server.once('error', reject);
      provider.#server.listen(0, () => resolve());
    });
    provider.#address = `https://localhost:${(provider.#server.address() as AddressInfo).port}`;
    return provider;
  }

  /** Without a slash at the end. */
  get address(): string {
    return this.#address;
  }

  get port(): number {
    return Number(new URL(this.#address).port);
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
