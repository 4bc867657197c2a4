import type { TokenCall } from '../kinds/oauth2-token-call.ts';
import type { ProviderDifference } from './provider-difference.ts';

/** Public clients: the PKCE verifier proves them, a secret is never sent. */
const withoutSecret = (call: TokenCall): TokenCall => {
  const { client_secret: _secret, ...params } = call.params;
  return { ...call, params };
};

const withoutClient = (call: TokenCall): TokenCall => {
  const { client_id: _id, ...params } = withoutSecret(call).params;
  return { ...call, params };
};

const publicClient: ProviderDifference = { exchange: withoutSecret, refresh: withoutSecret };

export const PUBLIC_CLIENTS: Record<string, ProviderDifference> = {
  heygen: publicClient,
  'posthog-oauth': publicClient,
  'attio-mcp': publicClient,
  mercury: { exchange: withoutClient, refresh: withoutClient },
};
