import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  method: string;
  /** Path and query as received. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string | string[]>;
  /** Text and bytes are sent unchanged; anything else as JSON. */
  body?: unknown;
  /** The last byte of the body follows so much later. */
  lastByteAfterMs?: number;
  /** Closes the connection without a response. */
  drop?: boolean;
}

export type Handler = (request: RecordedRequest) => ScriptedResponse | Promise<ScriptedResponse>;

/** An HTTP server on a free loopback port that answers by rules and records the requests. */
export class FakeProvider {
  readonly requests: RecordedRequest[] = [];
  /** Requests whose sender disconnected before the response. */
  readonly cutRequests: RecordedRequest[] = [];
  readonly #handlers: Array<{ matches: (request: RecordedRequest) => boolean; handler: Handler }> = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #address = '';

  static async start(): Promise<FakeProvider> {
    const provider = new FakeProvider();
    await new Promise<void>((resolve, reject) => {
      provider.#server.once('error', reject);
      provider.#server.listen(0, '127.0.0.1', resolve);
    });
    provider.#address = `http://127.0.0.1:${(provider.#server.address() as AddressInfo).port}`;
    return provider;
  }

  /** Base of every path, without a trailing slash. */
  get address(): string {
    return this.#address;
  }

  /** Answers `METHOD /path` (query ignored) from now on; a later rule for the same request wins. */
  on(route: string, response: ScriptedResponse | Handler): this {
    const [method, path] = route.split(' ');
    const handler = typeof response === 'function' ? response : () => response;
    const matches = (request: RecordedRequest): boolean =>
      request.method === method && request.url.split('?')[0] === path;
    this.#handlers.unshift({ matches, handler });
    return this;
  }

  /** Requests to one path, query ignored. */
  requestsTo(path: string): RecordedRequest[] {
    return this.requests.filter((request) => request.url.split('?')[0] === path);
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = {
      method: incoming.method ?? 'GET',
      url: incoming.url ?? '/',
      headers: incoming.headers,
      body: Buffer.concat(chunks),
    };
    this.requests.push(request);
    response.once('close', () => {
      if (!response.writableEnded) this.cutRequests.push(request);
    });
    const rule = this.#handlers.find(({ matches }) => matches(request));
    const body = rule
      ? await rule.handler(request)
      : { status: 404, body: { error: `no rule for ${request.method} ${request.url}` } };
    if (body.drop) return void incoming.socket.destroy();
    writeResponse(response, body);
  }
}

function writeResponse(response: ServerResponse, scripted: ScriptedResponse): void {
  const { status = 200, headers = {}, body } = scripted;
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  if (!isRaw && body !== undefined) response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  const whole = isRaw || body === undefined ? body : JSON.stringify(body);
  if (scripted.lastByteAfterMs === undefined || whole === undefined) return void response.end(whole);
  response.write(whole.slice(0, -1));
  setTimeout(() => response.end(whole.slice(-1)), scripted.lastByteAfterMs).unref();
}
