import { requestText } from '../../platform/lib/request-text.ts';
import { requestLoginLink } from '../../running-file.ts';
import { CliFailure } from '../cli-failure.ts';
import { hubRefusal, parseHubJson } from './hub-client.ts';

/** The hub's private API for the user of its data folder: a user who can read the folder can log in. */
export class DashboardSession {
  readonly #address: string;
  readonly #cookie: string;
  readonly #csrfToken: string;
  readonly #fetch: typeof fetch;

  private constructor(address: string, { cookie, csrfToken }: SessionSecrets, use: typeof fetch) {
    this.#address = address;
    this.#cookie = cookie;
    this.#csrfToken = csrfToken;
    this.#fetch = use;
  }

  /** Resolves to undefined when no hub runs on this data folder. */
  static async open(home: string, use: typeof fetch): Promise<DashboardSession | undefined> {
    const link = await requestLoginLink(home);
    if (link === undefined) return undefined;
    const { origin, hash } = new URL(link);
    const { headers, status, text } = await requestText(`${origin}/api/v1/session`, {
      method: 'POST',
      headers: { origin, 'x-homeport-csrf': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ code: hash.replace(/^#code=/, ''), client: 'command-line' }),
    });
    if (status >= 400) throw hubRefusal(status, parseHubJson(text));
    const cookie = headers['set-cookie']?.[0]?.split(';')[0];
    if (!cookie) throw new CliFailure('The running hub did not accept its own login link.');
    const { csrfToken } = JSON.parse(text) as { csrfToken: string };
    return new DashboardSession(origin, { cookie, csrfToken }, use);
  }

  async call<T>(method: string, path: string, request: SessionRequest = {}): Promise<T> {
    const { address, init } = this.#prepare(method, path, request);
    const { status, text } = await requestText(address, init);
    const body = parseHubJson(text);
    if (status >= 400) throw hubRefusal(status, body);
    return body as T;
  }

  /** Yields events of one environment until the signal aborts. */
  async *events(environment: string, signal: AbortSignal): AsyncGenerator<{ event: string; data: unknown }> {
    const { address, init } = this.#prepare('GET', '/api/v1/events', { query: { env: environment } });
    const response = await this.#fetch(address, { ...init, signal });
    if (!response.ok || !response.body) throw hubRefusal(response.status, await response.json());
    const { EventSourceParserStream } = await import('eventsource-parser/stream');
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { event = 'message', data } of events) yield { event, data: JSON.parse(data) as unknown };
  }

  #prepare(method: string, path: string, { query = {}, body }: SessionRequest) {
    const headers = {
      cookie: this.#cookie,
      'x-homeport-csrf': this.#csrfToken,
      ...(method === 'GET' ? {} : { origin: this.#address }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    return {
      address: `${this.#address}${path}?${new URLSearchParams(query)}`,
      init: { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
    };
  }
}

interface SessionSecrets {
  cookie: string;
  csrfToken: string;
}

interface SessionRequest {
  query?: Record<string, string>;
  body?: unknown;
}
