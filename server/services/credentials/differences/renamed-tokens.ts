import type { TokenCall } from '../kinds/oauth2-token-call.ts';
import type { ProviderDifference } from './provider-difference.ts';

type Answer = Record<string, unknown>;

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
    read: (answer) => ({ ...(answer as Answer), expires_at: (answer as Answer)['access_token_expiration'] }),
  },
  'sentry-oauth': {
    exchange: asJson,
    refresh: asJson,
    read: (answer) => {
      const { token, refreshToken, expiresAt } = answer as Answer;
      return { access_token: token, refresh_token: refreshToken, expires_at: expiresAt };
    },
  },
};
