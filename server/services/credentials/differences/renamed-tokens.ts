import type { TokenCall } from '../kinds/oauth2-token-call.ts';
import type { ProviderDifference } from './provider-difference.ts';

const asJson = (call: TokenCall): TokenCall => ({ ...call, format: 'json' });

/** The redirect address in the query, everything else as JSON; a refresh does not answer the refresh token again. */
const figma: ProviderDifference = {
  exchange: ({ params: { redirect_uri: redirectUri, ...params }, ...call }) => ({
    ...call,
    format: 'json',
    query: { redirect_uri: redirectUri ?? '' },
    params,
  }),
};

export const RENAMED_TOKENS: Record<string, ProviderDifference> = {
  figma,
  figjam: figma,
  clover: {
    exchange: asJson,
    refresh: asJson,
    read: (answer) => ({ ...answer, expires_at: answer['access_token_expiration'] }),
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
