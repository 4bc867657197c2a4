import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ProviderEntry } from '../../../integrations/catalog/entry-schema.ts';
import { isMap } from '../../../integrations/catalog/merge-entries.ts';
import { clientCertificate } from '../../../integrations/catalog/template/client-certificate.ts';
import { valueAt } from '../../../integrations/catalog/template/resolve-template.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { isSuccessStatus } from '../../../platform/lib/success-status.ts';
import type { IssueCredentials, TokenContext, TokenRequest, TokenResponse } from '../token-context.ts';
import { readExpiry, toIsoTime } from '../token-expiry.ts';
import { fillParams, type Params, paramScope } from './fill-params.ts';
import { signJwt } from './sign-jwt.ts';
import {
  basic,
  encodeParams,
  joinScopes,
  providerRefusal,
  responseMetadata,
  TOKEN_HEADERS,
  tokenAddress,
  tokenObject,
  tokenText,
} from './token-endpoint.ts';

/** For responses without an expiry (auth-and-connect.md 2.4). */
const DEFAULT_LIFETIME_MS = 55 * 60_000;

interface Client {
  id: string;
  /** Empty when the client only has a private key. */
  secret: string;
}

/** OAUTH2_CC: a token for the client itself (auth-and-connect.md 2.4). A renewal requests a new one. */
export const issueClientCredentials: IssueCredentials = async (context, given) => {
  const client = readClient(context.entry, given);
  const scopes = scopesOf(context);
  const startedAt = context.now();
  const response = await context.send(await tokenRequest(context, given, client, scopes));
  const { token, raw } = readToken(response, context, given);
  const expiresAt = readExpiry(raw, startedAt, context.entry.expires_in_unit) ?? startedAt + DEFAULT_LIFETIME_MS;
  return {
    credentials: {
      type: 'OAUTH2_CC',
      token,
      client_id: client.id,
      client_secret: client.secret,
      ...pick(given, 'client_certificate'),
      ...pick(given, 'client_private_key'),
      expires_at: toIsoTime(expiresAt),
      raw,
    },
    config: { ...(scopes ? { oauth_scopes: scopes } : {}), ...responseMetadata(context.entry, raw) },
  };
};

function readClient(entry: ProviderEntry, given: Record<string, unknown>): Client {
  const { client_id: id, client_secret: secret, client_private_key: key } = given;
  if (typeof id !== 'string' || id === '') throw new HomeportError('missing_client_id', 'Enter the client id.');
  const hasSecret = typeof secret === 'string' && secret !== '';
  const hasKey = typeof key === 'string' && key !== '';
  if (entry.token_request_auth_method === 'private_key_jwt' ? !hasKey : !hasSecret && !hasKey)
    throw new HomeportError(
      'missing_client_secret',
      'Enter the client secret, or the private key where the provider uses one.',
    );
  return { id, secret: hasSecret ? secret : '' };
}

/** The scopes of the connection, else of the integration; comma-separated. */
function scopesOf({ connectionConfig, app }: TokenContext): string {
  const own = connectionConfig['oauth_scopes'];
  const asked = Array.isArray(own) ? own.join(',') : own;
  return typeof asked === 'string' && asked !== '' ? asked : (app.scopes ?? '');
}

async function tokenRequest(
  context: TokenContext,
  given: Record<string, unknown>,
  client: Client,
  scopes: string,
): Promise<TokenRequest> {
  const { entry } = context;
  const address = tokenAddress(context, 'OAUTH2_CC', given);
  const params = {
    ...(await clientParams(context, given, client, address)),
    ...fillParams(entry.token_params, paramScope(context, given)),
    ...(scopes ? { scope: joinScopes(scopes, entry) } : {}),
  };
  const { url, headers, body } = encodeParams(address, overwrite(params, context), entry.body_format ?? 'form');
  const isBasic = entry.token_request_auth_method === 'basic';
  return {
    method: 'POST',
    url,
    headers: { ...TOKEN_HEADERS, ...headers, ...(isBasic ? { authorization: basic(client.id, client.secret) } : {}) },
    ...(body === undefined ? {} : { body }),
    tls: certificate(entry, given),
  };
}

async function clientParams(
  context: TokenContext,
  given: Record<string, unknown>,
  { id, secret }: Client,
  audience: string,
): Promise<Params> {
  switch (context.entry.token_request_auth_method) {
    case 'basic':
      return {};
    case 'custom':
      return { username: id, password: secret };
    case 'private_key_jwt':
      return clientAssertion({ clientId: id, jwk: given['client_private_key'], audience, context });
    case undefined:
      return { client_id: id, ...(secret ? { client_secret: secret } : {}) };
  }
}

/**
 * Applies parameters that the connect session sets by name; the text `undefined` removes a parameter
 * (auth-and-connect.md 1.5).
 */
function overwrite(params: Params, { connectionConfig }: TokenContext): Params {
  const own = Object.entries(connectionConfig['authorization_params'] ?? {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  );
  return Object.fromEntries(
    Object.entries({ ...params, ...Object.fromEntries(own) }).filter(([, value]) => value !== 'undefined'),
  );
}

function certificate(entry: ProviderEntry, given: Record<string, unknown>): TokenRequest['tls'] {
  const pair = clientCertificate(entry, given);
  if (!pair) return undefined;
  try {
    createSecureContext(pair);
    return pair;
  } catch (error) {
    throw new HomeportError(
      'invalid_certificate_or_key_format',
      'The client certificate and its private key cannot be read, or are not a pair.',
      { cause: error },
    );
  }
}

function readToken(response: TokenResponse, context: TokenContext, given: Record<string, unknown>) {
  const raw = tokenObject(response);
  const found = ['access_token', 'data.token', 'jwt'].map((path) => tokenText(valueAt(raw, path)));
  const token = found.find((text) => text !== undefined);
  const isRefused = !isSuccessStatus(response.status);
  if (isRefused || !raw || token === undefined)
    throw providerRefusal({
      code: 'client_credentials_fetch_error',
      what: isRefused ? 'The provider refused the client credentials' : 'The provider gave no token',
      response,
      context,
      sent: given,
    });
  return { token, raw };
}

function pick(given: Record<string, unknown>, name: string): Record<string, unknown> {
  return given[name] ? { [name]: given[name] } : {};
}

const LIFETIME_SECONDS = 300;

interface AssertionInput {
  clientId: string;
  /** The private key as the JSON text of a JWK. */
  jwk: unknown;
  /** The token address. */
  audience: string;
  context: TokenContext;
}

/** The parameters of `private_key_jwt` (RFC 7523, auth-and-connect.md 2.4). */
async function clientAssertion({ clientId, jwk, audience, context }: AssertionInput) {
  const { key, keyId } = readJwk(jwk);
  const issuedAt = Math.floor(context.now() / 1_000);
  const assertion = await signJwt({
    header: { alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) },
    payload: {
      iss: clientId,
      sub: clientId,
      aud: audience,
      iat: issuedAt,
      exp: issuedAt + LIFETIME_SECONDS,
      jti: context.ids.uuid(),
    },
    key,
    code: 'invalid_certificate_or_key_format',
  });
  return {
    client_id: clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  };
}

function readJwk(text: unknown): { key: KeyObject; keyId: string | undefined } {
  try {
    const jwk: unknown = typeof text === 'string' ? JSON.parse(text) : text;
    const keyId = isMap(jwk) && typeof jwk['kid'] === 'string' ? jwk['kid'] : undefined;
    return { key: createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' }), keyId };
  } catch {
    // The original reason would quote the key.
    throw new HomeportError(
      'invalid_certificate_or_key_format',
      'The private key must be a JWK in JSON, with its private members.',
    );
  }
}
