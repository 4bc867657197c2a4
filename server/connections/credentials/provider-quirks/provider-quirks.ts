import { isMap } from '../../../integrations/catalog/merge-entries.ts';
import { basic, type OAuthClient, readXml, type TokenCall } from '../auth-modes/token-endpoint.ts';
import type { TokenResponse } from '../token-context.ts';
import { BULLHORN } from './bullhorn.ts';
import { HEADER_CLIENTS, SIGNED_CLIENTS, withoutClient } from './client-quirks.ts';
import { META } from './meta.ts';
import { MICROSOFT } from './microsoft.ts';
import type { ProviderQuirk } from './provider-quirk.ts';
import { SALESFORCE } from './salesforce.ts';
import { SLACK } from './slack.ts';

const MONTH_S = 30 * 24 * 3600;
const DONE = '0000';

/** A refresh issues no new token: it extends the current one by 30 days. */
const coros: ProviderQuirk = {
  refuses: ({ result }) => result !== undefined && result !== DONE,
  read: (response, { stored }) =>
    stored && response['access_token'] === undefined
      ? { access_token: stored['access_token'], expires_in: MONTH_S }
      : response,
};

const COROS: Record<string, ProviderQuirk> = { coros, 'coros-sandbox': coros };

/** Public clients: the PKCE verifier authenticates them, and no secret is sent. */
const withoutSecret = (call: TokenCall): TokenCall => {
  const { client_secret: _secret, ...params } = call.params;
  return { ...call, params };
};

const publicClient: ProviderQuirk = { exchange: withoutSecret, refresh: withoutSecret };

const PUBLIC_CLIENTS: Record<string, ProviderQuirk> = {
  heygen: publicClient,
  'posthog-oauth': publicClient,
  'attio-mcp': publicClient,
  mercury: { exchange: withoutClient, refresh: withoutClient },
};

const asJson = (call: TokenCall): TokenCall => ({ ...call, format: 'json' });

/** The redirect address is in the query, everything else in JSON; a refresh does not return the refresh token again. */
const figma: ProviderQuirk = {
  exchange: ({ params: { redirect_uri: redirectUri, ...params }, ...call }) => ({
    ...call,
    format: 'json',
    query: { redirect_uri: redirectUri ?? '' },
    params,
  }),
};

const RENAMED_TOKENS: Record<string, ProviderQuirk> = {
  figma,
  figjam: figma,
  clover: {
    exchange: asJson,
    refresh: asJson,
    read: (response) => ({ ...response, expires_at: response['access_token_expiration'] }),
  },
  'sentry-oauth': {
    exchange: asJson,
    refresh: asJson,
    read: ({ token, refreshToken, expiresAt }) => ({
      access_token: token,
      refresh_token: refreshToken,
      expires_at: expiresAt,
    }),
  },
};

/** The tokens are in `data`; a refusal is a 200 with a code other than 0. */
const inData: ProviderQuirk = {
  refuses: ({ code }) => code !== undefined && Number(code) !== 0,
  read: ({ data }) => data,
};

const withClientKey = ({ params: { client_id: id, ...params }, ...call }: TokenCall): TokenCall => ({
  ...call,
  params: { ...params, client_key: id ?? '' },
});

const TIKTOK: Record<string, ProviderQuirk> = {
  'tiktok-ads': {
    ...inData,
    exchange: (call, { client, code }) => ({
      ...call,
      format: 'json',
      params: { app_id: client.id, secret: client.secret ?? '', auth_code: code },
    }),
  },
  'tiktok-accounts': {
    ...inData,
    exchange: ({ params: { code, ...params }, ...call }) => ({
      ...call,
      format: 'json',
      params: { ...params, auth_code: code ?? '' },
    }),
    refresh: (call) => ({ ...call, format: 'json' }),
  },
  'tiktok-personal': { exchange: withClientKey, refresh: withClientKey },
};

const API_VERSION = '6';

/** Requests are JSON, responses are XML. */
const asBraintree = (call: TokenCall, { client }: { client: OAuthClient }, grant: 'code' | 'refresh_token') => ({
  ...call,
  format: 'json' as const,
  headers: {
    ...call.headers,
    accept: 'application/xml',
    'x-apiversion': API_VERSION,
    authorization: basic(client.id, client.secret ?? ''),
  },
  params: { grant_type: call.params['grant_type'] ?? '', [grant]: call.params[grant] ?? '' },
});

/** Content of the root element: the credentials, or the errors. */
function readRoot(response: TokenResponse): unknown {
  const document = readXml(response);
  if (!isMap(document)) return undefined;
  return Object.entries(document).find(([name]) => !name.startsWith('?'))?.[1];
}

/** The parser keeps the text of an element with attributes in a separate member. */
const textIn = (element: unknown): unknown => (isMap(element) ? element['#text'] : element);

const braintree: ProviderQuirk = {
  exchange: (call, facts) => asBraintree(call, facts, 'code'),
  refresh: (call, facts) => asBraintree(call, facts, 'refresh_token'),
  parse: readRoot,
  read: (response) => ({
    access_token: textIn(response['access-token']),
    refresh_token: textIn(response['refresh-token']),
    expires_at: textIn(response['expires-at']),
  }),
};

const BRAINTREE: Record<string, ProviderQuirk> = { braintree, 'braintree-sandbox': braintree };

const NONE: ProviderQuirk = {};

const QUIRKS: Readonly<Record<string, ProviderQuirk>> = {
  ...BRAINTREE,
  ...BULLHORN,
  ...COROS,
  ...HEADER_CLIENTS,
  ...META,
  ...MICROSOFT,
  ...PUBLIC_CLIENTS,
  ...RENAMED_TOKENS,
  ...SALESFORCE,
  ...SIGNED_CLIENTS,
  ...SLACK,
  ...TIKTOK,
};

/** How a provider differs from OAuth 2 beyond its entry; empty for most providers. */
export function quirkOf(provider: string): ProviderQuirk {
  return Object.hasOwn(QUIRKS, provider) ? (QUIRKS[provider] ?? NONE) : NONE;
}
