import type { IncomingHttpHeaders } from 'node:http';
import { NoAnswerError, requestText } from '../../platform/lib/request-text.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { issueText } from '../issue-text.ts';

export interface HubClientOptions {
  /** Without a slash at the end. */
  baseUrl: string;
  secretKey: string;
  /** Variable that holds the key; undefined for the key of this user's own hub. */
  keySource?: string | undefined;
  fetch: typeof fetch;
}

export interface HubRequest {
  /** Lists are repeated names. */
  query?: Record<string, string | string[] | undefined>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
}

export interface HubResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Parsed JSON, or the text if it is not JSON; undefined when there is no body. */
  body: unknown;
}

/** Client of the public API of a running hub. */
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

  /** Resolves to every response. Rejects only when the hub does not answer. */
  async send(method: string, path: string, { query = {}, headers = {}, body }: HubRequest = {}): Promise<HubResponse> {
    const url = new URL(`${this.baseUrl}${path}`);
    for (const [name, value] of Object.entries(query))
      for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, one);
    const request = {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
        authorization: `Bearer ${this.#secretKey}`,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const answer = await requestText(url, request).catch((error: unknown) => {
      throw error instanceof NoAnswerError ? this.#noHub() : error;
    });
    return { status: answer.status, headers: answer.headers, body: parseHubJson(answer.text) };
  }

  /** Resolves to the body of a successful response. Throws a CliFailure with the hub's words for any other. */
  async call<T = unknown>(method: string, path: string, request: HubRequest = {}): Promise<T> {
    const { status, body } = await this.send(method, path, request);
    if (status < 400) return body as T;
    throw this.refusal(status, body);
  }

  /** A failure with the hub's words. For an unknown key it adds where the key came from. */
  refusal(status: number, body: unknown, exit?: number): CliFailure {
    const hint = status === 401 && this.#keySource !== undefined ? unknownKey(this.#keySource, this.baseUrl) : '';
    return hubRefusal(status, body, exit, hint);
  }

  /** Sends a request with the key and returns the unparsed response. */
  async raw(url: URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.#secretKey}`);
    try {
      return await this.#fetch(url, { ...init, headers, redirect: 'manual' });
    } catch (error) {
      throw error instanceof TypeError ? this.#noHub() : error;
    }
  }

  #noHub(): CliFailure {
    return new CliFailure(
      `No hub answers at ${this.baseUrl}. Start it with "homeport serve" or set NANGO_HOSTPORT to its address.`,
      EXIT.stopped,
    );
  }
}

/** Turns a refusal of the hub into a failure with the hub's own words. */
export function hubRefusal(status: number, body: unknown, exit?: number, hint = ''): CliFailure {
  const [said, ...issues] = refusalLines(status, body);
  return new CliFailure([`The hub refused: ${said}${hint}`, ...issues.map((line) => `  ${line}`)].join('\n'), exit, {
    code: errorOf(body)?.code ?? 'server_error',
    status,
  });
}

/** Why the hub refused, and a line for each value that does not fit. */
export function refusalLines(status: number, body: unknown): string[] {
  const { code, errors = [], message } = errorOf(body) ?? {};
  const issues = errors.map(({ path, message: said }) => `${path.join('.') || 'the request'}: ${issueText(said)}`);
  if (message !== undefined) return [message, ...issues];
  if (issues.length > 0) return ['The request is not valid.', ...issues];
  return [
    code === undefined ? `It answered with the status ${status}.` : `${code.replaceAll('_', ' ')} (status ${status}).`,
  ];
}

function errorOf(body: unknown): RefusalBody['error'] {
  return (body as RefusalBody | undefined)?.error;
}

function unknownKey(variable: string, baseUrl: string): string {
  return ` The key comes from ${variable}: check it, or unset it when ${baseUrl} is your own hub.`;
}

interface RefusalBody {
  error?: { code?: string; message?: string; errors?: RefusalIssue[] };
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
    // Not JSON, so the text is returned.
    return text;
  }
}
