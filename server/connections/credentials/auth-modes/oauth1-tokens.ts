import { fillAuthUrl } from '../../../integrations/catalog/template/auth-url.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { signOAuth1 } from '../../../platform/lib/oauth1-signature.ts';
import { isSuccessStatus } from '../../../platform/lib/success-status.ts';
import type { IssuedCredentials, TokenContext, TokenResponse } from '../token-context.ts';
import { requireParams } from './oauth2.ts';
import { type OAuthClient, providerRefusal } from './token-endpoint.ts';

/** A token with its secret, temporary or lasting. */
export interface OAuth1TokenPair {
  key: string;
  secret: string;
}

interface SignedCall {
  url: string;
  method: 'GET' | 'POST';
  params: Record<string, string>;
  protocol: Record<string, string>;
  token?: OAuth1TokenPair;
  code: 'token_err' | 'token_exchange_failed';
}

const MAX_REDIRECTS = 5;

/** Requests the temporary token that the authorization page names (auth-and-connect.md 3.10, step 1). */
export async function requestOAuth1Token(
  context: TokenContext,
  client: OAuthClient,
  callback: string,
): Promise<OAuth1TokenPair> {
  const { entry } = context;
  const { key, secret } = await sendTokenRequest(context, client, {
    url: fill(context, entry.request_url, 'request_url'),
    method: methodOf(entry.request_http_method),
    params: entry.request_params ?? {},
    protocol: { oauth_callback: callback },
    code: 'token_err',
  });
  return { key, secret };
}

/** Exchanges the confirmed temporary token for a lasting one, which never expires. */
export async function exchangeOAuth1Token(
  context: TokenContext,
  client: OAuthClient,
  temporary: OAuth1TokenPair,
  verifier: string,
): Promise<IssuedCredentials> {
  const { entry } = context;
  const tokenUrl = typeof entry.token_url === 'string' ? entry.token_url : undefined;
  const { key, secret, raw } = await sendTokenRequest(context, client, {
    url: fill(context, tokenUrl, 'token_url'),
    method: methodOf(entry.token_http_method),
    params: requireParams(context, entry.token_params),
    protocol: { oauth_verifier: verifier },
    token: temporary,
    code: 'token_exchange_failed',
  });
  return { credentials: { type: 'OAUTH1', oauth_token: key, oauth_token_secret: secret, raw } };
}

async function sendTokenRequest(
  context: TokenContext,
  client: OAuthClient,
  call: SignedCall,
): Promise<OAuth1TokenPair & { raw: Record<string, string> }> {
  const response = await sendSigned(context, client, call);
  const raw = Object.fromEntries(new URLSearchParams(response.text));
  const { oauth_token: key, oauth_token_secret: secret } = raw;
  if (isSuccessStatus(response.status) && key && secret) return { key, secret, raw };
  const { message } = providerRefusal({
    code: call.code,
    what: 'The provider gave no OAuth 1 token',
    // Errors without JSON are form-encoded (OAuth Problem Reporting).
    response: raw['oauth_problem'] === undefined ? response : { ...response, json: { error: raw['oauth_problem'] } },
    context,
    sent: { ...call.params, ...call.protocol, consumer: client.secret, token: call.token?.secret },
  });
  throw new HomeportError(call.code, message, { payload: { status: response.status } });
}

/** A redirected request is signed again, because the address is part of the signature. */
async function sendSigned(context: TokenContext, client: OAuthClient, call: SignedCall): Promise<TokenResponse> {
  let { url } = call;
  for (let count = 0; ; count++) {
    const response = await sendOnce(context, client, { ...call, url });
    const target = count < MAX_REDIRECTS ? redirectTarget(context, response, url) : undefined;
    if (target === undefined) return response;
    url = target;
  }
}

/** The address of a redirect; undefined when there is none, or when the signature must not be sent there. */
function redirectTarget({ entry }: TokenContext, response: TokenResponse, from: string): string | undefined {
  const location = response.headers['location'];
  if (response.status < 300 || response.status >= 400 || typeof location !== 'string') return undefined;
  const here = new URL(from);
  const target = URL.parse(location, from);
  if (!target || (here.protocol === 'https:' && target.protocol !== 'https:')) return undefined;
  // A PLAINTEXT signature contains the secrets themselves.
  return entry.signature_method === 'PLAINTEXT' && target.host !== here.host ? undefined : target.href;
}

function sendOnce(
  context: TokenContext,
  client: OAuthClient,
  { url, method, params, protocol, token }: SignedCall,
): Promise<TokenResponse> {
  const hasForm = method === 'POST' && Object.keys(params).length > 0;
  const address = new URL(url);
  if (!hasForm) for (const [name, value] of Object.entries(params)) address.searchParams.set(name, value);
  const authorization = signOAuth1({
    method,
    url: address.href,
    ...(hasForm ? { form: params } : {}),
    consumer: { key: client.id, secret: client.secret ?? '' },
    ...(token ? { token } : {}),
    signatureMethod: context.entry.signature_method ?? 'HMAC-SHA1',
    protocol,
    nonce: context.ids.hex(16),
    now: context.now(),
  });
  return context.send({
    method,
    url: address.href,
    headers: {
      authorization,
      'user-agent': 'Homeport',
      ...(hasForm ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    ...(hasForm ? { body: new URLSearchParams(params).toString() } : {}),
  });
}

function methodOf(value: unknown): 'GET' | 'POST' {
  return value === 'GET' ? 'GET' : 'POST';
}

function fill({ entry, connectionConfig }: TokenContext, address: string | undefined, key: string): string {
  if (address === undefined)
    throw new HomeportError('missing_token_url', `The provider ${entry.name} names no ${key}.`);
  return fillAuthUrl(address, { connectionConfig, fields: entry.connection_config });
}
