import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { type AwsKey, signAwsRequest } from '../platform/lib/aws-signature.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { signOAuth1 } from '../platform/lib/oauth1-signature.ts';
import type { ProxyTarget } from './proxy-types.ts';

interface AuthorizationInput {
  entry: ProviderEntry;
  target: ProxyTarget;
  method: string;
  url: URL;
  nonce: string;
  now: number;
}

/** The `authorization` header that a credential type sets by default (providers.md 5.3); entries may replace it. */
export function defaultAuthorization(input: AuthorizationInput): string | undefined {
  const { credentials } = input.target.connection;
  switch (credentials.type) {
    case 'OAUTH2':
    case 'APP':
      return bearer(credentials['access_token']);
    case 'OAUTH2_CC':
    case 'JWT':
    case 'SIGNATURE':
      return bearer(credentials['token']);
    case 'TWO_STEP':
      return placesTokenItself(input.entry) ? undefined : bearer(credentials['token']);
    case 'BASIC':
      return `Basic ${Buffer.from(`${text(credentials['username'])}:${text(credentials['password'])}`).toString('base64')}`;
    case 'OAUTH1':
      return authorizeOAuth1(input);
    case 'TBA':
      return authorizeTba(input);
    case 'API_KEY':
    case 'BILL':
    case 'CUSTOM':
    case 'NONE':
    case 'AWS_SIGV4': // Signed last, because the signature covers all other headers.
    case undefined:
      return undefined;
    default:
      throw new HomeportError('unsupported_auth', `Requests with ${credentials.type} credentials cannot be signed.`);
  }
}

/** Whether the entry's own headers contain the token. */
function placesTokenItself(entry: ProviderEntry): boolean {
  return Object.entries(entry.proxy?.headers ?? {}).some(
    ([name, value]) =>
      value.includes('${accessToken}') || (name === 'cookie' && value.includes('${credentials._cookies}')),
  );
}

function authorizeOAuth1({ entry, target, method, url, nonce, now }: AuthorizationInput): string {
  const { clientId, clientSecret } = target.integration;
  if (!clientId || !clientSecret)
    throw new HomeportError(
      'unsupported_auth',
      'The integration needs a client id and a client secret to sign requests.',
    );
  const { oauth_token: key, oauth_token_secret: secret } = target.connection.credentials;
  return signOAuth1({
    method,
    url: url.href,
    nonce,
    now,
    consumer: { key: clientId, secret: clientSecret },
    token: { key: text(key), secret: text(secret) },
    signatureMethod: entry.signature_method ?? 'HMAC-SHA1',
  });
}

function authorizeTba({ target, method, url, nonce, now }: AuthorizationInput): string {
  const { credentials, connectionConfig } = target.connection;
  const override = credentials['config_override'] as { client_id?: string; client_secret?: string } | undefined;
  // Connections from the reference contain the integration's client in their configuration; ours do not.
  const key = override?.client_id ?? connectionConfig['oauth_client_id'] ?? target.integration.clientId;
  const secret = override?.client_secret ?? connectionConfig['oauth_client_secret'] ?? target.integration.clientSecret;
  if (!key || !secret)
    throw new HomeportError(
      'unsupported_auth',
      'The integration or the connection needs a client id and a client secret to sign requests.',
    );
  return signOAuth1({
    method,
    url: url.href,
    nonce,
    now,
    consumer: { key: text(key), secret: text(secret) },
    token: { key: text(credentials['token_id']), secret: text(credentials['token_secret']) },
    signatureMethod: 'HMAC-SHA256',
    realm: text(connectionConfig['accountId']).replace('-', '_').toUpperCase(),
  });
}

function bearer(token: unknown): string {
  return `Bearer ${text(token)}`;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

interface AwsHeadersInput {
  target: ProxyTarget;
  method: string;
  url: URL;
  rawPath: string | undefined;
  /** All headers of the request; all of them are signed. */
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The signature of AWS_SIGV4 connections (providers.md 5.3, step d); empty for other credentials. */
export function awsHeaders(input: AwsHeadersInput): Record<string, string> {
  if (input.target.connection.credentials.type !== 'AWS_SIGV4') return {};
  const { method, url, rawPath, headers, body, now } = input;
  try {
    const path = rawPath ?? url.pathname + url.search;
    return signAwsRequest({ method, host: url.host, path, headers, body }, readKey(input.target), now);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new HomeportError('unsupported_auth', 'The path cannot be signed: it holds a broken percent escape.', {
      cause: error,
    });
  }
}

function readKey({ connection: { credentials, connectionConfig } }: ProxyTarget): AwsKey {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: token } = credentials;
  const region = credentials['region'] ?? connectionConfig['region'];
  const service = credentials['service'] ?? connectionConfig['service'];
  if (!isText(accessKeyId) || !isText(secretAccessKey) || !isText(region) || !isText(service))
    throw new HomeportError(
      'unsupported_auth',
      'The connection lacks AWS keys, a region or a service. Reconnect it to sign requests.',
    );
  return { accessKeyId, secretAccessKey, region, service, ...(isText(token) ? { sessionToken: token } : {}) };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
