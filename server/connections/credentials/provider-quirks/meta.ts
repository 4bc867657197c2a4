import { requestTokens, type TokenCall } from '../auth-modes/token-endpoint.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { ProviderQuirk } from './provider-quirk.ts';

/** A GET with everything in the query, for Meta's further token endpoints. */
function getCall(url: string, query: Record<string, string>): TokenCall {
  return { method: 'GET', url, query, params: {}, headers: {}, format: 'form' };
}

/** Exchanges the short-lived token for a long-lived one, which later renews itself. */
function longLived(host: string, prefix: 'ig' | 'th'): ProviderQuirk {
  const tokenOf = (tokens: StoredCredentials): string => String(tokens['access_token']);
  return {
    read: ({ data, ...response }) => (Array.isArray(data) ? data[0] : response),
    afterExchange: async (tokens, { client, context }) => {
      const call = getCall(`https://${host}/access_token`, {
        grant_type: `${prefix}_exchange_token`,
        client_secret: client.secret ?? '',
        access_token: tokenOf(tokens),
      });
      return { credentials: await requestTokens({ context, call, code: 'token_exchange_failed' }) };
    },
    refresh: (_call, { stored }) =>
      getCall(`https://${host}/refresh_access_token`, {
        grant_type: `${prefix}_refresh_token`,
        access_token: tokenOf(stored),
      }),
    needsNoRefreshToken: true,
    onlyWhenForced: true,
  };
}

export const META: Record<string, ProviderQuirk> = {
  facebook: {
    exchange: ({ params: { redirect_uri: redirectUri, ...params }, ...call }) => ({
      ...call,
      format: 'json',
      query: { redirect_uri: redirectUri ?? '' },
      params,
    }),
    refresh: (call, { client, stored }) => ({
      ...call,
      query: {
        grant_type: 'fb_exchange_token',
        client_id: client.id,
        client_secret: client.secret ?? '',
        fb_exchange_token: String(stored['access_token']),
      },
      params: {},
    }),
    needsNoRefreshToken: true,
    onlyWhenForced: true,
  },
  instagram: longLived('graph.instagram.com', 'ig'),
  threads: longLived('graph.threads.net', 'th'),
};
