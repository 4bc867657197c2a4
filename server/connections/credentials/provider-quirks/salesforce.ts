import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { type OAuthClient, requestTokenResponse, type TokenCall } from '../auth-modes/token-endpoint.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { EndingFacts, ProviderQuirk } from './provider-quirk.ts';

/**
 * Salesforce's token responses have no expiry; its introspection endpoint returns it. A failed request and an unclear
 * response count as ended (auth-and-connect.md 4.2).
 */
async function findEnd(stored: StoredCredentials, facts: EndingFacts): Promise<number> {
  const { context } = facts;
  const instance = instanceOf(stored, context.connectionConfig);
  if (instance === undefined) return 0;
  try {
    const call = introspection(instance, stored, clientOf(stored, facts.client));
    const { json } = await requestTokenResponse({ context, call, code: 'refresh_token_external_error' });
    const { active, exp } = json;
    return active === true && typeof exp === 'number' ? exp * 1000 : 0;
  } catch (error) {
    if (error instanceof HomeportError) return 0; // The endpoint failed; the following refresh shows whether the credentials work.
    throw error;
  }
}

/** The address from Salesforce's own response takes precedence, because the client's secret is sent to it. */
function instanceOf({ raw }: StoredCredentials, config: Record<string, unknown>): string | undefined {
  const instance = raw?.['instance_url'] ?? config['instance_url'];
  return typeof instance === 'string' && URL.canParse(instance) ? instance.replace(/(?<!\/)\/+$/, '') : undefined;
}

/** Connections by client credentials have their own client. */
function clientOf({ client_id: id, client_secret: secret }: StoredCredentials, client: OAuthClient): OAuthClient {
  return typeof id === 'string' && typeof secret === 'string' ? { id, secret } : client;
}

function introspection(instance: string, stored: StoredCredentials, { id, secret }: OAuthClient): TokenCall {
  return {
    method: 'POST',
    url: `${instance}/services/oauth2/introspect`,
    query: {},
    headers: {},
    params: {
      token: String(stored['access_token'] ?? stored['token']),
      token_type_hint: 'access_token',
      client_id: id,
      client_secret: secret ?? '',
    },
    format: 'form',
  };
}

const introspected: ProviderQuirk = { findEnd };

export const SALESFORCE: Record<string, ProviderQuirk> = {
  salesforce: introspected,
  'salesforce-cc': introspected,
  'salesforce-sandbox': introspected,
  'salesforce-experience-cloud': introspected,
  'salesforce-jwt': introspected,
};
