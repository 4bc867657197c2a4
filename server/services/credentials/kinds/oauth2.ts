import type { ProviderEntry } from '../../../catalog/entry-schema.ts';
import type { AuthMode } from '../../../catalog/provider-modes.ts';
import type { ParamTemplate } from '../../../catalog/proxy-schema.ts';
import { fillAuthUrl } from '../../../catalog/template/auth-url.ts';
import { valueAt } from '../../../catalog/template/resolve-template.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { isJsonObject } from '../../../lib/json-object.ts';
import { differenceOf } from '../differences/provider-differences.ts';
import { responseMetadata } from '../response-metadata.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { Minted, TokenContext, TokenRequest } from '../token-context.ts';
import { readExpiry, toIsoTime } from '../token-expiry.ts';
import { fillText, paramScope } from './fill-params.ts';
import { requestTokens } from './token-endpoint.ts';

export interface CodeExchange {
  client: OAuthClient;
  code: string;
  /** The same text as in the authorization address. */
  redirectUri: string;
  /** Absent where the entry disables PKCE. */
  codeVerifier?: string | undefined;
}

/** Exchanges an authorization code for tokens (auth-and-connect.md 3.5). */
export async function exchangeCode(context: TokenContext, exchange: CodeExchange): Promise<Minted> {
  const { entry } = context;
  const difference = differenceOf(entry.name);
  const facts = { context, client: exchange.client, code: exchange.code, redirectUri: exchange.redirectUri };
  const common = authenticateClient(codeCall(context, exchange), entry, exchange.client);
  const call = (await difference.exchange?.(common, facts)) ?? common;
  const tokens = await requestTokens({ context, call, code: 'token_exchange_failed', difference });
  const { credentials, config } = (await difference.afterExchange?.(tokens, facts)) ?? { credentials: tokens };
  return { credentials, config: { ...responseMetadata(entry, credentials.raw), ...config } };
}

/**
 * Renews the tokens of an OAuth 2 connection (auth-and-connect.md 4.4). A refresh token that the answer does not
 * name stays in use; the configuration is left alone.
 */
export async function refreshTokens(
  context: TokenContext,
  client: OAuthClient,
  stored: StoredCredentials,
): Promise<Minted> {
  const difference = differenceOf(context.entry.name);
  const facts = { context, client, stored };
  const common = authenticateClient(refreshCall(context, stored), context.entry, client);
  const call = (await difference.refresh?.(common, facts)) ?? common;
  const ask = { context, call, code: 'refresh_token_external_error' as const, difference };
  const renewed = keepWhatStays(await requestTokens(ask, stored), stored);
  context.keep?.({ credentials: renewed });
  return (await difference.afterRefresh?.(renewed, facts)) ?? { credentials: renewed };
}

function codeCall(context: TokenContext, { code, redirectUri, codeVerifier }: CodeExchange): TokenCall {
  return {
    ...postTo(tokenUrlOf(context), context),
    params: {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      ...requireParams(context, context.entry.token_params),
      ...(codeVerifier === undefined ? {} : { code_verifier: codeVerifier }),
    },
  };
}

/** `refresh_params` say everything themselves; the parameters of the exchange only add to a refresh. */
function refreshCall(context: TokenContext, stored: StoredCredentials): TokenCall {
  const { refresh_params: own, token_params: { grant_type: _exchange, ...shared } = {} } = context.entry;
  return {
    ...postTo(refreshUrlOf(context), context),
    params: {
      grant_type: 'refresh_token',
      refresh_token: text(stored['refresh_token']),
      ...requireParams(context, own ?? shared),
    },
  };
}

function postTo(url: string, { entry }: TokenContext): Omit<TokenCall, 'params'> {
  return { method: 'POST', url, query: {}, headers: {}, format: entry.body_format === 'json' ? 'json' : 'form' };
}

/** What a refresh does not answer anew: the refresh token in use, and the connection's own client. */
function keepWhatStays(renewed: StoredCredentials, stored: StoredCredentials): StoredCredentials {
  const { refresh_token: refreshToken, config_override: override } = stored;
  return {
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...renewed,
    ...(override === undefined ? {} : { config_override: override }),
  };
}

function tokenUrlOf(context: TokenContext): string {
  return tokenAddress(context, 'OAUTH2', {});
}

function refreshUrlOf(context: TokenContext): string {
  const { refresh_url: refreshUrl } = context.entry;
  return refreshUrl === undefined ? tokenUrlOf(context) : fillAddress(context, refreshUrl, {});
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The developer's client at the provider, or the connection's own. */
export interface OAuthClient {
  id: string;
  secret: string | undefined;
}

/** A token request before it is written out; what providers do differently changes it in this form. */
export interface TokenCall {
  method: 'GET' | 'POST';
  url: string;
  query: Record<string, string>;
  params: Record<string, string>;
  /** Lower-case names. */
  headers: Record<string, string>;
  format: 'form' | 'json';
}

/** Names the client the way the entry says (auth-and-connect.md 3.5): in the body, in a header, or in both. */
export function authenticateClient(call: TokenCall, entry: ProviderEntry, client: OAuthClient): TokenCall {
  const { id, secret = '' } = client;
  if (entry.authorization_method === 'header') {
    return withHeader(call, 'authorization', basic(encodeForm(id), encodeForm(secret)));
  }
  const params = { ...call.params, client_id: id, ...(secret === '' ? {} : { client_secret: secret }) };
  const named = { ...call, params };
  return entry.token_request_auth_method === 'basic' ? withHeader(named, 'authorization', basic(id, secret)) : named;
}

export function withHeader(call: TokenCall, name: string, value: string): TokenCall {
  return { ...call, headers: { ...call.headers, [name]: value } };
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

export function toTokenRequest(call: TokenCall): TokenRequest {
  const url = new URL(call.url);
  for (const [name, value] of Object.entries(call.query)) url.searchParams.set(name, value);
  const headers = { accept: 'application/json', 'user-agent': 'Homeport', ...call.headers };
  if (call.method === 'GET') {
    for (const [name, value] of Object.entries(call.params)) url.searchParams.set(name, value);
    return { method: 'GET', url: url.href, headers };
  }
  const isJson = call.format === 'json';
  return {
    method: 'POST',
    url: url.href,
    headers: { ...headers, 'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' },
    body: isJson ? JSON.stringify(call.params) : new URLSearchParams(call.params).toString(),
  };
}

/** RFC 6749 2.3.1 wants both halves form-encoded. */
function encodeForm(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/**
 * The document to store of a token endpoint's answer (auth-and-connect.md 3.5, Parsing), with the whole answer as
 * `raw`; undefined when it holds no access token.
 */
export function readTokenResponse(entry: ProviderEntry, answer: unknown, nowMs: number): StoredCredentials | undefined {
  const body = isJsonObject(answer) ? answer : {};
  const tokens = findTokens(entry, body);
  if (!tokens) return undefined;
  const refreshToken = tokens['refresh_token'];
  const expiresAt = readExpiry(tokens, nowMs);
  return {
    type: 'OAUTH2',
    access_token: String(tokens['access_token']),
    ...(typeof refreshToken === 'string' && refreshToken !== '' ? { refresh_token: refreshToken } : {}),
    ...(expiresAt === undefined ? {} : { expires_at: toIsoTime(expiresAt) }),
    raw: body,
  };
}

/** The tokens: of the answer itself, of the object that the entry's alternative path names, or with the token there. */
function findTokens(entry: ProviderEntry, body: Record<string, unknown>): Record<string, unknown> | undefined {
  if (isToken(body['access_token'])) return body;
  const path = entry.alternate_access_token_response_path;
  const found = path === undefined ? undefined : valueAt(body, path);
  if (isJsonObject(found) && isToken(found['access_token'])) return found;
  return isToken(found) ? { ...body, access_token: found } : undefined;
}

function isToken(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** Parameters of the catalogue with the connection's values in place. Throws when one of them is missing. */
export function requireParams(
  context: TokenContext,
  params: Record<string, ParamTemplate> | undefined,
): Record<string, string> {
  const scope = paramScope(context, {});
  const filled = Object.entries(params ?? {}).map(([name, source]): [string, string] => {
    const value = fillText(typeof source === 'string' ? source : JSON.stringify(source), scope);
    if (value !== undefined) return [name, value];
    throw new HomeportError(
      'missing_connection_config',
      `The parameter ${name} needs a value that the connection does not have. Enter it and connect again.`,
    );
  });
  return Object.fromEntries(filled);
}

/** The entry's token address for a mode, filled from the connection's configuration and the credentials. */
export function tokenAddress(context: TokenContext, mode: AuthMode, credentials: Record<string, unknown>): string {
  const { token_url: source } = context.entry;
  const address = typeof source === 'object' ? source[mode] : source;
  if (!address) throw missingTokenUrl(context.entry);
  return fillAddress(context, address, credentials);
}

export function fillAddress(
  { entry, connectionConfig }: TokenContext,
  address: string,
  credentials: Record<string, unknown>,
): string {
  return fillAuthUrl(address, { connectionConfig, credentials, fields: entry.connection_config });
}

export function missingTokenUrl({ name }: ProviderEntry): HomeportError {
  return new HomeportError(
    'missing_token_url',
    `The provider ${name} has no token_url in the catalogue. Add one to its entry.`,
  );
}
