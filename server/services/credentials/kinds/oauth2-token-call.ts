import type { ProviderEntry } from '../../../catalog/entry-schema.ts';
import type { TokenRequest } from '../token-context.ts';

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
