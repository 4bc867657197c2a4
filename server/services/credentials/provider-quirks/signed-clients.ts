import { createHmac } from 'node:crypto';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { readPrivateKey, signJwt } from '../auth-modes/sign-jwt.ts';
import { type OAuthClient, type TokenCall, toTokenRequest } from '../auth-modes/token-endpoint.ts';
import type { TokenContext } from '../token-context.ts';
import type { ProviderQuirk } from './provider-quirk.ts';

interface Facts {
  client: OAuthClient;
  context: TokenContext;
}

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
