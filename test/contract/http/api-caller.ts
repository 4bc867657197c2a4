import { type IncomingHttpHeaders, request as sendHttp } from 'node:http';
import type { ServerAddress } from '../../support/start-server.ts';

export interface ApiResponse {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** The JSON of the body; undefined for an empty one, the text when it is not JSON. */
  body: unknown;
}

export interface Call {
  /** Text and bytes are sent unchanged; anything else as JSON with its content type. */
  body?: unknown;
  /** `undefined` removes a default header. */
  headers?: Record<string, string | string[] | undefined>;
}

/** The parts of an error response: its status, code and issues as `code at.path`. */
export interface Refusal {
  status: number;
  code: string;
  issues?: string[];
}

/** Raw HTTP: the path is sent byte for byte, and any header can be set, `Host` included. */
export class ApiCaller {
  readonly #server: ServerAddress;

  constructor(server: ServerAddress) {
    this.#server = server;
  }

  /** `METHOD /path`, with the secret key unless the headers say otherwise. */
  async send(route: string, { body, headers = {} }: Call = {}): Promise<ApiResponse> {
    const at = route.indexOf(' ');
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const content = body === undefined ? undefined : Buffer.from(isRaw ? body : JSON.stringify(body));
    const all = {
      authorization: `Bearer ${this.#server.secretKey}`,
      ...(isRaw || content === undefined ? {} : { 'content-type': 'application/json' }),
      ...(content === undefined ? {} : { 'content-length': String(content.length) }),
      ...headers,
    };
    const sent = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    return this.#exchange(route.slice(0, at), route.slice(at + 1), Object.fromEntries(sent), content);
  }

  /** The error response to the call. */
  async refusal(route: string, call?: Call): Promise<Refusal> {
    const { status, body } = await this.send(route, call);
    const { error } = (body ?? {}) as { error?: { code: string; errors?: Array<{ code: string; path: string[] }> } };
    if (status < 400 || !error) throw new Error(`${route} answered ${status}: ${JSON.stringify(body)}`);
    const issues = error.errors?.map((issue) => [issue.code, issue.path.join('.')].join(' ').trim());
    return { status, code: error.code, ...(issues ? { issues } : {}) };
  }

  #exchange(
    method: string,
    path: string,
    headers: Record<string, string | string[]>,
    content: Buffer | undefined,
  ): Promise<ApiResponse> {
    const { hostname, port } = new URL(this.#server.url);
    return new Promise((resolve, reject) => {
      const request = sendHttp({ hostname, port, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, body: readJson(bytes) });
        });
      });
      request.on('error', reject);
      request.end(content);
    });
  }
}

function readJson(bytes: Buffer): unknown {
  const text = bytes.toString();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text; // Not JSON.
  }
}
