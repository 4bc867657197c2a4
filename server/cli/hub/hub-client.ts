import { CliFailure } from '../cli-failure.ts';

export interface HubClientOptions {
  /** Without a slash at its end. */
  baseUrl: string;
  secretKey: string;
  /** The variable that the key comes from; undefined for the key of this user's own hub. */
  keySource?: string | undefined;
  fetch: typeof fetch;
}

export interface HubRequest {
  query?: Record<string, string | undefined>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
}

export interface HubAnswer {
  status: number;
  headers: Headers;
  /** Parsed JSON; the text itself when it is none; undefined when there is no body. */
  body: unknown;
}

/** The public API of a running hub, as any other caller sees it. */
export class HubClient {
  readonly baseUrl: string;
  readonly #secretKey: string;
  readonly #keySource: string | undefined;
  readonly #fetch: typeof fetch;

  constructor({ baseUrl, secretKey, keySource, fetch }: HubClientOptions) {
    this.baseUrl = baseUrl;
    this.#secretKey = secretKey;
    this.#keySource = keySource;
    this.#fetch = fetch;
  }

  /** Whatever the hub answers; rejects only when it does not answer at all. */
  async send(method: string, path: string, { query = {}, headers = {}, body }: HubRequest = {}): Promise<HubAnswer> {
    const url = new URL(`${this.baseUrl}${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const response = await this.raw(url, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: parseHubJson(await response.text()) };
  }

  /** The body of a successful answer; a refusal becomes a failure that repeats what the hub said. */
  async call<T = unknown>(method: string, path: string, request: HubRequest = {}): Promise<T> {
    const { status, body } = await this.send(method, path, request);
    if (status < 400) return body as T;
    throw this.refusal(status, body);
  }

  /** A failure that repeats what the hub said, and for a key that it does not know where the key came from. */
  refusal(status: number, body: unknown, exit?: number): CliFailure {
    const hint = status === 401 && this.#keySource !== undefined ? unknownKey(this.#keySource, this.baseUrl) : '';
    return hubRefusal(status, body, exit, hint);
  }

  /** A request with the key, its answer untouched. */
  async raw(url: URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.#secretKey}`);
    try {
      return await this.#fetch(url, { ...init, headers, redirect: 'manual' });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new CliFailure(
        `No hub answers at ${this.baseUrl}. Start it with "homeport serve" or set NANGO_HOSTPORT to where it runs.`,
      );
    }
  }
}

/** What the hub refused, in its own words. */
export function hubRefusal(status: number, body: unknown, exit?: number, hint = ''): CliFailure {
  const error = (body as { error?: { code?: string; message?: string; errors?: RefusalIssue[] } } | undefined)?.error;
  const issues = (error?.errors ?? []).map(({ path, message }) => `  ${path.join('.') || '(body)'}: ${message}`);
  const said = error?.message ?? error?.code ?? `status ${status}`;
  return new CliFailure([`The hub refused: ${said}${hint}`, ...issues].join('\n'), exit, {
    code: error?.code ?? 'server_error',
    status,
  });
}

function unknownKey(variable: string, baseUrl: string): string {
  return ` The key comes from ${variable}: check it, or unset it when ${baseUrl} is your own hub.`;
}

interface RefusalIssue {
  path: string[];
  message: string;
}

export function parseHubJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the text is what there is.
    return text;
  }
}
