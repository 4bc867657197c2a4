import type { OAuthClient } from '../kinds/oauth2-token-call.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { TokenContext } from '../token-context.ts';
import type { ProviderDifference } from './provider-difference.ts';

/**
 * Salesforce does not say when a token ends: its introspection endpoint does. An answer that is no clear yes counts
 * as ended (auth-and-connect.md 4.2).
 */
async function isEnding(
  stored: StoredCredentials,
  facts: { context: TokenContext; client: OAuthClient; bufferMs: number },
): Promise<boolean> {
  const { context, client, bufferMs } = facts;
  const instance = context.connectionConfig['instance_url'];
  if (typeof instance !== 'string' || !URL.canParse(instance)) return true;
  const token = stored['access_token'] ?? stored['token'];
  const answer = await context.send({
    method: 'POST',
    url: `${instance.replace(/\/$/, '')}/services/oauth2/introspect`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      token: String(token),
      token_type_hint: 'access_token',
      client_id: client.id,
      client_secret: client.secret ?? '',
    }).toString(),
  });
  const { active, exp } = (answer.json ?? {}) as { active?: unknown; exp?: unknown };
  if (answer.status !== 200 || active !== true || typeof exp !== 'number') return true;
  return exp * 1000 - context.now() < bufferMs;
}

const introspected: ProviderDifference = { isEnding };

export const SALESFORCE: Record<string, ProviderDifference> = {
  salesforce: introspected,
  'salesforce-cc': introspected,
  'salesforce-sandbox': introspected,
  'salesforce-experience-cloud': introspected,
  'salesforce-jwt': introspected,
};
