import { exchangeCode, refreshTokens } from '../../server/connections/credentials/auth-modes/oauth2.ts';
import type { StoredCredentials } from '../../server/connections/credentials/stored-credentials.ts';
import type {
  IssuedCredentials,
  TokenContext,
  TokenRequest,
  TokenResponse,
} from '../../server/connections/credentials/token-context.ts';
import type { ProviderDefinition } from '../../server/integrations/catalog/entry-schema.ts';
import { tokenContext } from './token-fixture.ts';

export const TOKEN_URL = 'https://acme.test/token';
export const CLIENT = { id: 'the-id', secret: 'the-secret' };
/** In a form, where the common code leaves it. */
export const CLIENT_PARAMS = { client_id: 'the-id', client_secret: 'the-secret' };
export const REDIRECT = 'https://hub.test/oauth/callback';

/** A request in the form that tests compare: without the parts of every token request, with all deviations. */
export interface SeenCall {
  at: string;
  query?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
  headers?: Record<string, string>;
}

/** The body of a response; the full form sets a status, headers or a text that is not JSON. */
export type GivenResponse = Record<string, unknown> | FullResponse;

interface FullResponse {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

interface CallOptions {
  /** In order; a missing one fails the request. */
  responses: GivenResponse[];
  entry?: Partial<ProviderDefinition>;
  context?: Partial<TokenContext>;
  client?: { id: string; secret: string | undefined };
}

export interface Recorded {
  calls: SeenCall[];
  /** The log messages before the end, in order. */
  kept: IssuedCredentials[];
  issued: IssuedCredentials;
}

/** A context whose `send` returns the given responses and records the requests. */
export function recordingContext(provider: string, { responses, entry, context }: Omit<CallOptions, 'client'>) {
  const calls: SeenCall[] = [];
  const kept: IssuedCredentials[] = [];
  const definition = { auth_mode: 'OAUTH2' as const, token_url: TOKEN_URL, display_name: 'Acme', ...entry };
  const base = tokenContext({ keep: (issued) => kept.push(issued), ...context, entry: definition });
  const recording: TokenContext = {
    ...base,
    entry: { ...base.entry, name: provider },
    send: async (request) => {
      const response = responses[calls.length];
      calls.push(seen(request));
      if (!response) throw new Error(`Nobody expects ${request.method} ${request.url}.`);
      return toResponse(response);
    },
  };
  return { calls, kept, context: recording };
}

/** Exchanges the code `the-code`; the client is in the form unless the entry says otherwise. */
export async function exchangeOf(provider: string, options: CallOptions): Promise<Recorded> {
  const { calls, kept, context } = recordingContext(provider, options);
  const { client = CLIENT } = options;
  const exchange = { client, code: 'the-code', redirectUri: REDIRECT, codeVerifier: 'the-verifier' };
  return { issued: await exchangeCode(context, exchange), calls, kept };
}

export async function refreshOf(provider: string, stored: StoredCredentials, options: CallOptions): Promise<Recorded> {
  const { calls, kept, context } = recordingContext(provider, options);
  const issued = await refreshTokens(context, options.client ?? CLIENT, { type: 'OAUTH2', ...stored });
  return { issued, calls, kept };
}

/** The parameters of the common exchange, without the client. */
export const EXCHANGE_PARAMS = {
  grant_type: 'authorization_code',
  code: 'the-code',
  redirect_uri: REDIRECT,
  code_verifier: 'the-verifier',
};

export function refreshParams(token: string): Record<string, string> {
  return { grant_type: 'refresh_token', refresh_token: token };
}

export function basicHeader(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

const ALWAYS = { accept: 'application/json', 'user-agent': 'Homeport' };

export function seen({ method, url, headers = {}, body }: TokenRequest): SeenCall {
  const { origin, pathname, searchParams } = new URL(url);
  const { 'content-type': type, ...others } = headers;
  const own = Object.entries(others).filter(([name, value]) => ALWAYS[name as keyof typeof ALWAYS] !== value);
  const missing = Object.keys(ALWAYS).filter((name) => !(name in headers));
  if (missing.length > 0) throw new Error(`The request lacks ${missing.join(', ')}.`);
  return {
    at: `${method} ${origin}${pathname}`,
    ...(searchParams.size > 0 ? { query: Object.fromEntries(searchParams) } : {}),
    ...(type === 'application/json' ? { json: JSON.parse(body ?? '') } : {}),
    ...(type === 'application/x-www-form-urlencoded' ? { form: Object.fromEntries(new URLSearchParams(body)) } : {}),
    ...(own.length > 0 ? { headers: Object.fromEntries(own) } : {}),
  };
}

function toResponse(given: GivenResponse): TokenResponse {
  const full = isFull(given) ? given : { status: 200, body: given };
  const text = typeof full.body === 'string' ? full.body : JSON.stringify(full.body ?? null);
  const json = typeof full.body === 'string' ? undefined : full.body;
  return { status: full.status, headers: full.headers ?? {}, text, json };
}

function isFull(given: GivenResponse): given is FullResponse {
  return typeof given['status' as keyof GivenResponse] === 'number';
}
