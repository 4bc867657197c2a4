import { createHmac } from 'node:crypto';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { checkHeaderValue } from '../auth-modes/fill-params.ts';
import { readPrivateKey, signJwt } from '../auth-modes/sign-jwt.ts';
import { basic, type OAuthClient, type TokenCall, toTokenRequest, withHeader } from '../auth-modes/token-endpoint.ts';
import type { TokenContext } from '../token-context.ts';
import type { ProviderQuirk } from './provider-quirk.ts';

interface Facts {
  client: OAuthClient;
  context: TokenContext;
}

/** Agiloft renews with the first characters of the secret only. */
const AGILOFT_SECRET_LENGTH = 20;
const ABSORB_API_VERSION = '2';
const HOUR_S = 3600;

/** The response has no lifetime; it is an hour. */
const lastsAnHour = (response: object): unknown => ({ ...response, expires_in: HOUR_S });

/** Sends client id and secret only in the header. */
const inHeader = (call: TokenCall, { client }: Facts): TokenCall =>
  withHeader(withoutClient(call), 'authorization', basic(client.id, client.secret ?? ''));

/** Stripe takes the secret key as the user of Basic authentication, and refuses unknown parameters. */
const asStripe =
  (...names: string[]) =>
  (call: TokenCall, { client }: Facts): TokenCall => {
    const params = Object.fromEntries(Object.entries(call.params).filter(([name]) => names.includes(name)));
    return withHeader({ ...call, params }, 'authorization', basic(client.secret ?? '', ''));
  };

const asWalmart = (call: TokenCall, facts: Facts): TokenCall => {
  const { context } = facts;
  const named = inHeader(call, facts);
  const headers = {
    'wm_partner.id': need(context, 'sellerId'),
    'wm_qos.correlation_id': context.ids.uuid(),
    'wm_svc.name': 'Walmart Marketplace',
  };
  return { ...named, headers: { ...named.headers, ...headers } };
};

const asAbsorb = (call: TokenCall, { context }: Facts): TokenCall => {
  const headers = {
    'x-api-key': need(context, 'apiKey'),
    'x-api-version': ABSORB_API_VERSION,
    nonce: context.ids.uuid(),
  };
  return { ...call, headers: { ...call.headers, ...headers } };
};

/** Removes client id and secret from the parameters. */
export function withoutClient(call: TokenCall): TokenCall {
  const { client_id: _id, client_secret: _secret, ...params } = call.params;
  return { ...call, params };
}

function need({ entry, connectionConfig }: TokenContext, name: string): string {
  const value = connectionConfig[name];
  if (typeof value === 'string' && value !== '') return checkHeaderValue(name, value);
  throw new HomeportError(
    'missing_connection_config',
    `${entry.display_name} needs "${name}" in the connection configuration. Enter it and connect again.`,
  );
}

const headerClient: ProviderQuirk = { exchange: inHeader, refresh: inHeader };

const stripeApp: ProviderQuirk = {
  exchange: asStripe('grant_type', 'code'),
  refresh: asStripe('grant_type', 'refresh_token'),
  read: lastsAnHour,
};

export const HEADER_CLIENTS: Record<string, ProviderQuirk> = {
  'workday-oauth': {
    ...headerClient,
    /** A refresh token that was set by hand is kept: the one of the response belongs to a shorter authorization. */
    read: (response, { connectionConfig }) =>
      connectionConfig['overrideTokenRefresh'] === true ? { ...response, refresh_token: undefined } : response,
  },
  fanvue: headerClient,
  followupboss: headerClient,
  agiloft: {
    exchange: inHeader,
    refresh: (call, facts) => {
      const named = inHeader(call, facts);
      const secret = (facts.client.secret ?? '').slice(0, AGILOFT_SECRET_LENGTH);
      return { ...named, params: { ...named.params, client_id: facts.client.id, md5_secret: secret } };
    },
  },
  walmart: { exchange: asWalmart, refresh: asWalmart },
  'absorb-lms': { exchange: asAbsorb, refresh: asAbsorb },
  'stripe-app': stripeApp,
  'stripe-app-sandbox': stripeApp,
  jobber: { read: lastsAnHour },
};

const REVOLUT = 'https://revolut.com';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ASSERTION_SECONDS = 300;

/** The client's secret is the private key for the certificate that is registered with Revolut. */
async function withAssertion(call: TokenCall, { client, context }: Facts, issuer: string): Promise<TokenCall> {
  const { client_secret: _key, ...params } = call.params;
  const issuedAt = Math.floor(context.now() / 1000);
  const assertion = await signJwt({
    header: { alg: 'RS256', typ: 'JWT' },
    payload: { iss: issuer, sub: client.id, aud: REVOLUT, iat: issuedAt, exp: issuedAt + ASSERTION_SECONDS },
    key: readPrivateKey(client.secret ?? ''),
    code: 'invalid_certificate_or_key_format',
  });
  return { ...call, params: { ...params, client_assertion_type: ASSERTION_TYPE, client_assertion: assertion } };
}

/** Revolut identifies the client by its callback host; a refresh cannot ask a user for it. */
const revolut: ProviderQuirk = {
  exchange: (call, facts) => withAssertion(call, facts, hostOf(facts.redirectUri)),
  afterExchange: async (credentials, { redirectUri }) => ({
    credentials,
    config: { assertion_issuer: hostOf(redirectUri) },
  }),
  refresh: (call, facts) => {
    const { assertion_issuer: issuer } = facts.context.connectionConfig;
    if (typeof issuer === 'string' && issuer !== '') return withAssertion(call, facts, issuer);
    throw new HomeportError(
      'missing_connection_config',
      'Set "assertion_issuer" in the connection configuration to the host of the redirect address at Revolut.',
    );
  },
};

/** Shopline reads the app's key, the time, and a signature of body and time from headers. */
function signed(call: TokenCall, { client, context }: Facts): TokenCall {
  const unsigned: TokenCall = { ...call, format: 'json' };
  const timestamp = String(context.now());
  const sign = createHmac('sha256', client.secret ?? '')
    .update(`${toTokenRequest(unsigned).body}${timestamp}`)
    .digest('hex');
  return { ...unsigned, headers: { ...call.headers, appkey: client.id, timestamp, sign } };
}

const shopline: ProviderQuirk = {
  exchange: (call, facts) => signed({ ...call, params: { code: facts.code } }, facts),
  /** The refresh has its own address beside that of the exchange. */
  refresh: (call, facts) => signed({ ...call, url: call.url.replace(/\/create$/, '/refresh'), params: {} }, facts),
  refuses: ({ code }) => code !== undefined && Number(code) !== 200,
  read: ({ data }) => {
    const { accessToken, expireTime } = (data ?? {}) as { accessToken?: unknown; expireTime?: unknown };
    return { access_token: accessToken, expires_at: expireTime };
  },
  needsNoRefreshToken: true,
};

function hostOf(address: string): string {
  return new URL(address).hostname;
}

export const SIGNED_CLIENTS: Record<string, ProviderQuirk> = {
  'revolut-business': revolut,
  'shopline-oauth': shopline,
};
