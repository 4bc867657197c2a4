import type { FlatImportBody } from '../connections/connections.contract.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import { readFlatCredentials } from '../connections/credentials/credentials.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { LifecycleService } from './lifecycle.service.ts';

/** Modes in which an overwrite without metadata keeps the stored metadata (http-api.md 5). */
const KEEPS_METADATA: readonly string[] = ['OAUTH1', 'OAUTH2', 'OAUTH2_CC', 'APP', 'NONE'];

export type FlatImports = ReturnType<typeof createFlatImports>;

/** The deprecated import, with the credentials at the root of the body. */
export function createFlatImports({
  catalog,
  integrations,
  connections,
  lifecycle,
}: {
  catalog: CatalogLookup;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  lifecycle: LifecycleService;
}) {
  async function findIntegration(
    environment: Environment,
    body: FlatImportBody,
  ): Promise<{ integration: Integration; entry: ProviderEntry }> {
    const key = body['provider_config_key'];
    if (typeof key !== 'string' || key === '') {
      throw new HomeportError('missing_provider_config', 'The body needs provider_config_key.', { payload: {} });
    }
    const integration = await integrations.find(environment.id, key);
    if (!integration)
      throw new HomeportError('unknown_provider_config', `There is no integration "${key}".`, { payload: {} });
    const entry = catalog.find(integration.provider);
    if (!entry)
      throw new HomeportError('unknown_provider_template', catalog.explainMissing(integration.provider), {
        payload: {},
      });
    return { integration, entry };
  }

  async function keptMetadata(
    integration: Integration,
    entry: ProviderEntry,
    body: FlatImportBody,
  ): Promise<Record<string, unknown> | null> {
    if (!body.connection_id || !KEEPS_METADATA.includes(entry.auth_mode)) return null;
    const stored = await connections.find(integration, body.connection_id);
    return stored?.metadata ?? null;
  }

  return {
    /** Resolves to the id of the connection. */
    async run(environment: Environment, body: FlatImportBody): Promise<string> {
      const { integration, entry } = await findIntegration(environment, body);
      const credentials = readFlatCredentials(entry.auth_mode, body);
      const metadata = body.metadata ?? (await keptMetadata(integration, entry, body));
      const sent = {
        provider_config_key: integration.uniqueKey,
        credentials,
        ...(body.connection_id ? { connection_id: body.connection_id } : {}),
        ...(metadata ? { metadata } : {}),
        ...(body.connection_config ? { connection_config: withScopeList(body.connection_config) } : {}),
        ...(body.webhook_url_override ? { webhook_url_override: body.webhook_url_override } : {}),
      };
      const { connection } = await lifecycle.importConnection(environment, sent, { isTrusted: true });
      return connection.connectionId;
    },
  };
}

/** The scopes may be one text with commas. */
function withScopeList({
  oauth_scopes_override: scopes,
  ...config
}: Record<string, unknown>): Record<string, unknown> & { oauth_scopes_override?: string[] } {
  const list = typeof scopes === 'string' ? scopes.split(',').map((scope) => scope.trim()) : scopes;
  if (!Array.isArray(list)) return config;
  return { ...config, oauth_scopes_override: list.map(String).filter((scope) => scope !== '') };
}
