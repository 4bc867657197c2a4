import type { IntegrationCredentialsInput } from '../../contract/api/integrations.ts';
import type { AppCredentials } from './integration.ts';

/**
 * Applies sent credentials to the stored ones (http-api.md 3, PATCH): id and secret are replaced; omitted scopes
 * stay, `""` clears them; for OAUTH2 an omitted webhook secret stays and `""` deletes it.
 */
export function mergeAppCredentials(stored: AppCredentials, sent: IntegrationCredentialsInput): AppCredentials {
  if (sent.type === 'APP') return { appId: sent.app_id, appLink: sent.app_link, privateKey: sent.private_key };
  if (sent.type === 'CUSTOM') {
    return {
      clientId: sent.client_id,
      clientSecret: sent.client_secret,
      appId: sent.app_id,
      appLink: sent.app_link,
      privateKey: sent.private_key,
    };
  }
  const scopes = sent.scopes ?? stored.scopes;
  const webhookSecret = ('webhook_secret' in sent ? sent.webhook_secret : undefined) ?? stored.webhookSecret;
  return {
    clientId: sent.client_id,
    ...(sent.client_secret === undefined ? {} : { clientSecret: sent.client_secret }),
    ...(scopes ? { scopes } : {}),
    ...(webhookSecret ? { webhookSecret } : {}),
  };
}
