import type { PendingChange } from '../../catalog/catalog.ts';
import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import { requiresAppCredentials } from '../../contract/api/integrations.ts';
import { INTEGRATION_FIELDS } from '../../contract/dashboard/dashboard-fields.ts';
import type { IntegrationDetail, IntegrationRow } from '../../contract/dashboard/dashboard-integrations.ts';
import type { Integration } from '../../services/integrations/integration.ts';
import type { IntegrationConfig } from '../../services/integrations/integration-config.ts';
import { isoDate, isoDateOrNull } from '../present/dates.ts';
import { sourceOf } from '../present/provider.ts';
import { type FieldView, viewFields, viewProviderChange } from './provider-view.ts';

export interface IntegrationFacts {
  integration: Integration;
  /** Undefined when the provider left the catalogue. */
  entry: ProviderEntry | undefined;
  /** What the workspace says of the provider and nobody has approved. */
  pendingChange: PendingChange | undefined;
  config: IntegrationConfig;
  usage: { connections: number; failing: number; lastUsedAt: number | null } | undefined;
  functions: { total: number; enabled: number };
}

/** Fields without which an app of these modes cannot work, although they may be entered later. */
const NEEDED_LATER: readonly string[] = ['client_id', 'client_secret', 'app_id', 'private_key'];

/** Inputs of an integration: the provider's own, else those of its auth mode. */
export function integrationFields(entry: ProviderEntry | undefined): FieldView[] {
  if (!entry) return [];
  const own = viewFields(entry.integration_config, entry.docs_connect);
  return own.length > 0 ? own : (INTEGRATION_FIELDS[entry.auth_mode] ?? []).map((one) => ({ ...one }));
}

export function viewIntegration(facts: IntegrationFacts): IntegrationRow {
  const { integration, entry, usage, functions } = facts;
  return {
    key: integration.uniqueKey,
    provider: integration.provider,
    displayName: integration.displayName ?? entry?.display_name ?? integration.provider,
    authMode: entry?.auth_mode ?? 'NONE',
    connectionCount: usage?.connections ?? 0,
    errorCount: usage?.failing ?? 0,
    functionCount: functions.total,
    functionsEnabled: functions.enabled,
    missingFields: missingFields(entry, facts.config),
    lastUsedAt: isoDateOrNull(usage?.lastUsedAt ?? null),
    createdAt: isoDate(integration.createdAt),
    updatedAt: isoDate(integration.updatedAt),
  };
}

export function viewIntegrationDetail(
  facts: IntegrationFacts,
  addresses: { callbackUrl: string; webhookUrl: string },
): IntegrationDetail {
  const { integration, entry, config } = facts;
  const fields = integrationFields(entry);
  const secret = new Set(fields.filter((one) => one.secret === true).map((one) => one.name));
  const shown = fields.filter((one) => !secret.has(one.name) && config[one.name] !== undefined);
  return {
    ...viewIntegration(facts),
    fields,
    config: Object.fromEntries(shown.map((one) => [one.name, config[one.name] ?? ''])),
    secretsSet: [...secret].filter((name) => config[name] !== undefined),
    callbackUrl: addresses.callbackUrl,
    webhookUrl: addresses.webhookUrl,
    forwardWebhooks: integration.forwardsWebhooks,
    docsUrl: entry?.docs_connect ?? entry?.docs ?? null,
    providerSource: entry ? sourceOf(entry) : null,
    pendingChange: facts.pendingChange ? viewProviderChange(facts.pendingChange) : null,
  };
}

function missingFields(entry: ProviderEntry | undefined, config: IntegrationConfig): string[] {
  const isNeeded = (one: FieldView): boolean => {
    if (one.automated || one.hidden) return false;
    return one.optional !== true || (requiresAppCredentials(entry?.auth_mode ?? '') && NEEDED_LATER.includes(one.name));
  };
  return integrationFields(entry)
    .filter((one) => isNeeded(one) && !config[one.name])
    .map((one) => one.name);
}
