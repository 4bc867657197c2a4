import type { StoredConnection } from '../connections/connection.ts';
import type { DeployedFunction } from '../functions/deployments/deployed-function.ts';
import { presentScriptConfig } from '../functions/script-config.present.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { IntegrationExtras } from '../integrations/integration.present.ts';
import type { Integration } from '../integrations/integration.ts';
import { isoDate } from '../platform/lib/dates.ts';

/** `config` of `GET /config/:key` (http-api.md 5). */
export function presentConfig(
  { uniqueKey, provider }: Integration,
  functions: DeployedFunction[],
): Record<string, unknown> {
  const { syncs, actions } = presentScriptConfig(uniqueKey, provider, functions);
  return { unique_key: uniqueKey, provider, syncs, actions };
}

export interface ConfigSecrets {
  integration: Integration;
  entry: ProviderEntry;
  extras: IntegrationExtras;
  custom: Record<string, string>;
  connections: StoredConnection[];
}

/** What `include_creds=true` adds. */
export function presentConfigSecrets({
  integration,
  entry,
  extras,
  custom,
  connections,
}: ConfigSecrets): Record<string, unknown> {
  const app = extras.credentials ?? {};
  return {
    client_id: app.clientId ?? null,
    client_secret: app.clientSecret ?? null,
    custom,
    scopes: app.scopes ?? null,
    app_link: app.appLink ?? null,
    auth_mode: entry.auth_mode,
    created_at: isoDate(integration.createdAt),
    has_webhook: Boolean(entry.webhook_routing_script),
    webhook_secret: app.webhookSecret ?? null,
    connections: connections.map((connection) => ({
      id: connection.id,
      connection_id: connection.connectionId,
      provider_config_key: connection.integrationKey,
      environment_id: connection.environmentId,
      connection_config: connection.connectionConfig,
    })),
    docs: entry.docs,
    connection_count: connections.length,
    has_webhook_user_defined_secret: Boolean(entry.webhook_user_defined_secret),
    webhook_url: extras.webhookUrl ?? null,
  };
}
