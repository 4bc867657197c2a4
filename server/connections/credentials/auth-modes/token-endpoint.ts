import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import qs from 'qs';
import type { ErrorCode } from '../../../contract/error-codes.ts';
import type { ProviderEntry } from '../../../integrations/catalog/entry-schema.ts';
import { isMap } from '../../../integrations/catalog/merge-entries.ts';
import type { AuthMode } from '../../../integrations/catalog/provider-modes.ts';
import { splitConfig } from '../../../integrations/catalog/secret-config.ts';
import { fillAuthUrl } from '../../../integrations/catalog/template/auth-url.ts';
import { valueAt } from '../../../integrations/catalog/template/resolve-template.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { issueTime } from '../../../platform/lib/issue-time.ts';
import { isTooDeep } from '../../../platform/lib/json-limits.ts';
import { isJsonObject } from '../../../platform/lib/json-object.ts';
import { SecretReplacer } from '../../../platform/lib/secret-replacer.ts';
import { secretsOf } from '../../../platform/lib/secrets.ts';
import { isSuccessStatus } from '../../../platform/lib/success-status.ts';
import type { ProviderQuirk } from '../provider-quirks/provider-quirk.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { TokenContext, TokenRequest, TokenResponse } from '../token-context.ts';
import { readExpiry, toIsoTime } from '../token-expiry.ts';
import type { Params } from './fill-params.ts';

/** One request to a token endpoint. */
export interface TokenEndpointRequest {
  context: TokenContext;
  call: TokenCall;
  /** Error code of a refusal. */
  code: 'token_exchange_failed' | 'refresh_token_external_error';
  /** How the provider's responses differ from the standard. */
  quirk?: Pick<ProviderQuirk, 'parse' | 'refuses' | 'read'>;
}

type Body = Record<string, unknown>;

/** Sends one request to a token endpoint and returns the document to store; `raw` is the whole response. */
export async function requestTokens(
  request: TokenEndpointRequest,
  stored?: StoredCredentials,
): Promise<StoredCredentials> {
  const { context, quirk } = request;
  const sentAt = context.now();
  const response = await requestTokenResponse(request);
  const raw = response.json;
  const facts = { connectionConfig: context.connectionConfig, stored };
  const read = quirk?.read ? quirk.read(raw, facts) : raw;
  const tokens = readTokenResponse(context.entry, read, issueTime(sentAt, context));
  if (tokens) return { ...tokens, raw };
  throw providerRefusal({
    code: 'unable_to_parse_token_response',
    what: 'The provider answered without an access token',
    response,
    context,
    sent: sentBy(request.call),
  });
}

/** A successful response with its body as an object. Throws an error with the provider's explanation for a refusal. */
export async function requestTokenResponse(request: TokenEndpointRequest): Promise<TokenResponse & { json: Body }> {
  const { context, call, code, quirk } = request;
  const response = await context.send(toTokenRequest(call));
  const body = quirk?.parse ? quirk.parse(response) : response.json;
  if (!isSuccessStatus(response.status)) throw refusal(request, { ...response, json: body });
  if (!isMap(body)) throw new HomeportError(code, 'The provider gave no tokens: it did not answer with a JSON object.');
  if (quirk?.refuses?.(body)) throw refusal(request, { ...response, json: body });
  return { ...response, json: body };
}

function refusal({ call, code, context }: TokenEndpointRequest, response: TokenResponse): HomeportError {
  const what = 'The provider gave no tokens';
  const { message } = providerRefusal({ code, what, response, context, sent: sentBy(call) });
  const hasText = providerText(response.json) !== '';
  return new HomeportError(code, message, {
    payload: { status: response.status, ...(hasText ? { provider_error: message } : {}) },
  });
}

/** All secrets that a provider could repeat, including the client as it appears in the header. */
function sentBy({ query, params, headers }: TokenCall): Record<string, string> {
  const {
    grant_type: _grant,
    redirect_uri: _redirect,
    client_assertion_type: _type,
    ...sent
  } = { ...query, ...params };
  return { ...sent, header: headers['authorization']?.replace(/^\w+ /, '') ?? '' };
}

/** Sent with every token request; an entry's own headers replace them. */
export const TOKEN_HEADERS = { accept: 'application/json', 'user-agent': 'Homeport' };

/** The body as a JSON object; undefined when it is not one. */
export function tokenObject(response: TokenResponse): Record<string, unknown> | undefined {
  return isMap(response.json) ? response.json : undefined;
}

/** A token or an id as text, because some providers send numbers; undefined for an empty text and other values. */
export function tokenText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The body of an XML response as an object, with attributes as `$name`; undefined when it is not XML, or nests too deep
 * to be stored.
 */
export function readXml({ text }: TokenResponse): unknown {
  if (!text.trimStart().startsWith('<')) return undefined;
  try {
    const value = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '$', parseTagValue: false }).parse(
      text,
    );
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined; // A page that is not XML.
  }
}

/** Where providers put a short explanation of an error. */
const TEXT_PATHS = ['error', 'error.message', 'error_description', 'message'];
const MAX_TEXT_LENGTH = 300;
/** A longer text is a page or a dump, not a sentence. */
const MAX_SOURCE_LENGTH = 5_000;

interface Refusal {
  code: ErrorCode;
  /** Beginning of the message: who refused what. */
  what: string;
  response: TokenResponse;
  context: TokenContext;
  /** Values that were sent; they are removed from the message when the provider repeats them. */
  sent: Record<string, unknown>;
}

/** The error for a response without a token: the status and the provider's own short text, never its whole body. */
export function providerRefusal({ code, what, response, context, sent }: Refusal): HomeportError {
  const text = providerText(response.json);
  const { app, custom, stored, connectionConfig, entry } = context;
  const secrets = secretsOf(sent, app, custom, stored, splitConfig(connectionConfig, entry).secret);
  const clean = new SecretReplacer(secrets).replace(text);
  const shown = clean.length > MAX_TEXT_LENGTH ? `${clean.slice(0, MAX_TEXT_LENGTH)}…` : clean;
  return new HomeportError(code, `${what} (status ${response.status})${shown === '' ? '' : `: ${shown}`}.`);
}

/** The provider's short texts about its refusal, never the whole body; empty when there are none. */
function providerText(json: unknown): string {
  const texts = TEXT_PATHS.map((path) => valueAt(json, path)).filter(isSentence);
  return [...new Set(texts.map((text) => text.replace(/\s+/g, ' ').replace(/(?<![.\s])[.\s]+$/, '')))].join(', ');
}

/** Whether the value is a short text, and not a page of HTML. */
function isSentence(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_SOURCE_LENGTH && !value.includes('<');
}

type BodyFormat = 'form' | 'json' | 'query' | 'xml';

/**
 * Writes parameters where the format requires: into the body with its content type, or into the query of the address.
 */
export function encodeParams(
  url: string,
  params: Params,
  format: BodyFormat,
): Pick<TokenRequest, 'url' | 'headers' | 'body'> {
  switch (format) {
    case 'query':
      return { url: addQuery(url, params) };
    case 'form':
      return { url, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: formText(params) };
    case 'json':
      return { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(params) };
    case 'xml':
      return { url, headers: { 'content-type': 'application/xml' }, body: xmlText(params) };
  }
}

export function formText(params: Params): string {
  return qs.stringify(params, { format: 'RFC1738' });
}

function addQuery(url: string, params: Params): string {
  const text = formText(params);
  if (text === '') return url;
  return `${url}${url.includes('?') ? '&' : '?'}${text}`;
}

/** Members named `$x` are attributes of their element. */
function xmlText(params: Params): string {
  const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '$', suppressEmptyNode: true });
  return `<?xml version="1.0" encoding="UTF-8"?>${builder.build(params)}`;
}

/** The developer's client at the provider, or the connection's own. */
export interface OAuthClient {
  id: string;
  secret: string | undefined;
}

/** A token request before it is encoded; quirks of providers change it in this form. */
export interface TokenCall {
  method: 'GET' | 'POST';
  url: string;
  query: Record<string, string>;
  params: Record<string, string>;
  /** Lower-case names. */
  headers: Record<string, string>;
  format: 'form' | 'json';
}

/**
 * Adds the client as the entry requires (auth-and-connect.md 3.5): in the body, in a header, or in both. A client without a
 * secret only names itself, in the body (RFC 6749, 3.2.1).
 */
export function authenticateClient(call: TokenCall, entry: ProviderEntry, client: OAuthClient): TokenCall {
  const { id, secret = '' } = client;
  if (secret === '') return { ...call, params: { ...call.params, client_id: id } };
  if (entry.authorization_method === 'header') {
    return withHeader(call, 'authorization', basic(encodeForm(id), encodeForm(secret)));
  }
  const named = { ...call, params: { ...call.params, client_id: id, client_secret: secret } };
  return entry.token_request_auth_method === 'basic' ? withHeader(named, 'authorization', basic(id, secret)) : named;
}

/** Scopes as the provider expects them; `scopes` is comma-separated. */
export function joinScopes(scopes: string, { scope_separator: separator = ' ' }: ProviderEntry): string {
  return scopes
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '')
    .join(separator);
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
  const headers = { ...TOKEN_HEADERS, ...call.headers };
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

/** RFC 6749 2.3.1 requires both parts to be form-encoded. */
function encodeForm(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/**
 * The document to store for a token endpoint's response (auth-and-connect.md 3.5, Parsing), with the whole response as
 * `raw`; undefined when the response has no access token.
 */
export function readTokenResponse(
  entry: ProviderEntry,
  response: unknown,
  nowMs: number,
): StoredCredentials | undefined {
  const body = isJsonObject(response) ? response : {};
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

/**
 * The object with the tokens: the response itself, or the object at the entry's alternative path; the access token may be
 * at that path itself.
 */
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

/**
 * The values that the entry's `token_response_metadata` names, with the dotted name as key; texts and booleans only.
 */
export function responseMetadata(entry: ProviderEntry, response: unknown): Record<string, unknown> {
  const found = (entry.token_response_metadata ?? []).map((name): [string, unknown] => [name, valueAt(response, name)]);
  return Object.fromEntries(found.filter(([, value]) => typeof value === 'string' || typeof value === 'boolean'));
}

/** The entry's token address for a mode, filled with the connection's configuration and the credentials. */
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
  const encodesValues = !entry.token_url_skip_encode?.includes('base_url');
  return fillAuthUrl(address, { connectionConfig, credentials, fields: entry.connection_config, encodesValues });
}

export function missingTokenUrl({ name }: ProviderEntry): HomeportError {
  return new HomeportError(
    'missing_token_url',
    `The provider ${name} has no token_url in the catalogue. Add one to its entry.`,
  );
}
