import { findIntegration } from '../connections/resolve-connection.api.ts';
import { callbackUrlOf } from '../contract/callback-page.ts';
import type { Issue } from '../contract/issue.ts';
import { webhookAddress } from '../contract/webhook-address.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { takePage } from '../dashboard/api/list-page.ts';
import { deleteOrHold } from '../data/deletion.dashboard.ts';
import type { Environment } from '../environments/environment.service.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import { HomeportError, isVaultLocked } from '../platform/lib/homeport-error.ts';
import type { PendingProviderChange } from './catalog/catalog.ts';
import type { ProviderEntry } from './catalog/entry-schema.ts';
import type {
  IntegrationDetail,
  IntegrationListItem,
  ShownIntegration,
  ShownIntegrationChange,
} from './dashboard-integrations.contract.ts';
import type { Integration } from './integration.ts';
import type { IntegrationChange } from './integration-changes.ts';
import type { IntegrationConfig } from './integration-config.ts';
import {
  type FieldView,
  integrationFields,
  neededFields,
  viewProviderChange,
  viewSetupHelp,
} from './provider.dashboard.ts';
import { sourceOf } from './provider.present.ts';

type Use = Pick<
  DashboardParts,
  | 'about'
  | 'catalog'
  | 'connections'
  | 'deletions'
  | 'deployments'
  | 'environments'
  | 'integrations'
  | 'lifecycle'
  | 'logs'
>;
type Keys =
  | 'GET /api/v1/integrations'
  | 'POST /api/v1/integrations'
  | 'GET /api/v1/integrations/:integrationKey'
  | 'PATCH /api/v1/integrations/:integrationKey'
  | 'GET /api/v1/integrations/:integrationKey/changes'
  | 'POST /api/v1/integrations/:integrationKey/changes/:changeId/undo'
  | 'POST /api/v1/integrations/:integrationKey/duplicate'
  | 'DELETE /api/v1/integrations/:integrationKey';

export function integrationRoutes(use: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/integrations': listPage(use),
    'POST /api/v1/integrations': async ({ environment, body }) => {
      const entry = use.catalog.find(body.provider);
      if (!entry) throw new HomeportError('unknown_provider', use.catalog.explainMissing(body.provider));
      await requireFreeKey(use, environment, body.key);
      const config = checkConfig(integrationFields(entry), body.config ?? {});
      const parts = { provider: body.provider, uniqueKey: body.key, displayName: body.displayName || null, config };
      return describe(use, environment, await use.lifecycle.createIntegrationFromConfig(environment, parts));
    },

    'GET /api/v1/integrations/:integrationKey': async ({ environment, params }) =>
      describe(use, environment, await findIntegration(use, environment.id, params.integrationKey)),

    'PATCH /api/v1/integrations/:integrationKey': change(use),

    'GET /api/v1/integrations/:integrationKey/changes': async ({ environment, params }) => {
      const { provider, uniqueKey } = await findIntegration(use, environment.id, params.integrationKey);
      const fields = integrationFields(use.catalog.find(provider));
      const changes = await use.integrations.listChanges(environment.id, uniqueKey);
      return { data: changes.map((one) => viewChange(one, fields)) };
    },

    'POST /api/v1/integrations/:integrationKey/changes/:changeId/undo': async ({ environment, params }) => {
      const undone = await use.integrations.undoChange(environment.id, params.integrationKey, params.changeId);
      return describe(use, environment, undone);
    },

    'POST /api/v1/integrations/:integrationKey/duplicate': duplicate(use),

    'DELETE /api/v1/integrations/:integrationKey': ({ environment, params: { integrationKey }, query: { hold } }) =>
      deleteOrHold(use.deletions, environment, {
        hold,
        object: { kind: 'integration', integrationKey },
        deleteNow: () => use.lifecycle.deleteIntegration(environment, integrationKey),
      }),
  };
}

const SORT_VALUES = {
  name: (row: IntegrationListItem) => row.displayName,
  key: (row: IntegrationListItem) => row.key,
  provider: (row: IntegrationListItem) => row.provider,
  authMode: (row: IntegrationListItem) => row.authMode,
  connections: (row: IntegrationListItem) => row.connectionCount,
  errors: (row: IntegrationListItem) => row.errorCount,
  functions: (row: IntegrationListItem) => row.functionCount,
  calls: (row: IntegrationListItem) => row.callHours.reduce((sum, { calls }) => sum + calls, 0),
  used: (row: IntegrationListItem) => row.lastUsedAt,
  updated: (row: IntegrationListItem) => row.updatedAt,
  created: (row: IntegrationListItem) => row.createdAt,
};

const NO_CALLS = Array.from({ length: 24 }, () => ({ calls: 0, failed: 0 }));

function listPage(use: Use): DashboardHandler<'GET /api/v1/integrations'> {
  return async ({ environment, query }) => {
    const [list, held, callHours] = await Promise.all([
      use.integrations.list(environment.id),
      use.deletions.listHeld(environment.id, 'integration'),
      use.logs.listCallHours(environment.id),
    ]);
    const shown = list.filter(({ id }) => !held.has(String(id)));
    const all = (await readFacts(use, environment, shown)).map((one) => ({
      id: one.integration.id,
      categories: one.entry?.categories ?? [],
      row: { ...viewIntegration(one), callHours: callHours.get(one.integration.uniqueKey) ?? NO_CALLS },
    }));
    const isWanted = ({ row, categories }: (typeof all)[number]): boolean =>
      (query.authModes?.includes(row.authMode) ?? true) &&
      (!query.categories || categories.some((one) => query.categories?.includes(one))) &&
      (!query.having?.includes('errors') || row.errorCount > 0 || row.missingFields.length > 0) &&
      (!query.having?.includes('functions') || row.functionCount > 0);
    const found = all.filter(isWanted);
    const page = takePage(found, {
      query,
      defaultSort: 'name',
      rowId: ({ id }) => id,
      texts: ({ row }) => [row.displayName, row.key, row.provider],
      value: ({ row }, key) => SORT_VALUES[key as keyof typeof SORT_VALUES](row),
    });
    return { data: page.rows.map(({ row }) => row), total: page.total, snapshot: page.snapshot };
  };
}

function change(use: Use): DashboardHandler<'PATCH /api/v1/integrations/:integrationKey'> {
  return async ({ environment, params, body }) => {
    const { integrationKey } = params;
    const { provider } = await findIntegration(use, environment.id, integrationKey);
    const changes = body.config && checkConfig(integrationFields(use.catalog.find(provider)), body.config);
    if (body.key !== undefined && body.key !== integrationKey) await requireFreeKey(use, environment, body.key);
    let saved = await use.integrations.update(environment.id, integrationKey, {
      unique_key: body.key,
      display_name: body.displayName,
      forward_webhooks: body.forwardWebhooks,
    });
    if (changes) saved = await use.integrations.changeConfig(environment.id, saved.uniqueKey, changes);
    return describe(use, environment, saved);
  };
}

/** Connections are not copied: they belong to accounts that authorized the original integration. */
function duplicate(use: Use): DashboardHandler<'POST /api/v1/integrations/:integrationKey/duplicate'> {
  return async ({ environment, params, body }) => {
    const source = await findIntegration(use, environment.id, params.integrationKey);
    const target = use.environments.findByName(body.environment);
    if (!target) throw new HomeportError('not_found', `There is no environment "${body.environment}".`);
    await requireFreeKey(use, target, body.key);
    await use.integrations.copy(environment.id, target.id, { uniqueKey: source.uniqueKey, as: body.key });
    return describe(use, target, await findIntegration(use, target.id, body.key));
  };
}

async function requireFreeKey(
  { deletions, integrations }: Pick<Use, 'deletions' | 'integrations'>,
  environment: Environment,
  key: string,
): Promise<void> {
  const found = await integrations.find(environment.id, key);
  if (found && (await deletions.listHeld(environment.id, 'integration')).has(String(found.id)))
    throw new HomeportError('conflict', `"${key}" is being deleted. Undo that, or try again in a few seconds.`);
  if (found) throw new HomeportError('conflict', `There is already an integration "${key}".`);
}

async function describe(use: Use, environment: Environment, integration: Integration): Promise<IntegrationDetail> {
  const [facts] = await readFacts(use, environment, [integration]);
  if (!facts) throw new Error('The integration has no facts.');
  const base = use.about.publicBase();
  // Throws while the vault is locked: a form without its values could be saved by mistake.
  const config = await use.integrations.readConfig(environment.id, integration.uniqueKey);
  return viewIntegrationDetail(facts, config, {
    callbackUrl: callbackUrlOf(environment.settings.callbackUrl, base),
    webhookUrl: webhookAddress(base, environment.uuid, integration.uniqueKey),
  });
}

/** Reads what lists and screens show; without configurations while the vault is locked. */
async function readFacts(use: Use, environment: Environment, list: Integration[]): Promise<IntegrationFacts[]> {
  const [usage, functions] = await Promise.all([
    use.connections.listUsage(environment.id),
    use.deployments.countByIntegration(environment.id),
  ]);
  return Promise.all(
    list.map(async (integration) => ({
      integration,
      entry: use.catalog.find(integration.provider),
      pendingChange: use.catalog.pending().find(({ provider }) => provider === integration.provider),
      config: await readConfig(use, environment, integration),
      usage: usage.find((one) => one.integrationId === integration.id),
      functions: functions.get(integration.uniqueKey) ?? { total: 0, enabled: 0 },
    })),
  );
}

async function readConfig(use: Use, environment: Environment, { uniqueKey }: Integration) {
  try {
    return await use.integrations.readConfig(environment.id, uniqueKey);
  } catch (error) {
    if (isVaultLocked(error)) return undefined;
    throw error;
  }
}

interface IntegrationFacts {
  integration: Integration;
  /** Undefined when the provider is missing from the catalogue. */
  entry: ProviderEntry | undefined;
  /** A change of the provider in the workspace files that is not approved yet. */
  pendingChange: PendingProviderChange | undefined;
  /** Undefined while the vault is locked. */
  config: IntegrationConfig | undefined;
  usage: { connections: number; failing: number; lastUsedAt: number | null } | undefined;
  functions: { total: number; enabled: number };
}

function viewIntegration(facts: IntegrationFacts): ShownIntegration {
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
    missingFields: facts.config ? missingFields(entry, facts.config) : [],
    scopes: facts.config?.['scopes']?.split(/[\s,]+/).filter((scope) => scope !== '') ?? [],
    forwardWebhooks: integration.forwardsWebhooks,
    lastUsedAt: isoDateOrNull(usage?.lastUsedAt ?? null),
    createdAt: isoDate(integration.createdAt),
    updatedAt: isoDate(integration.updatedAt),
  };
}

function viewIntegrationDetail(
  facts: IntegrationFacts,
  config: IntegrationConfig,
  addresses: { callbackUrl: string; webhookUrl: string },
): IntegrationDetail {
  const { entry } = facts;
  const fields = integrationFields(entry);
  const secret = new Set(fields.filter((one) => one.secret === true).map((one) => one.name));
  const shown = fields.filter((one) => !secret.has(one.name) && config[one.name] !== undefined);
  return {
    ...viewIntegration(facts),
    ...viewSetupHelp(entry),
    fields,
    config: Object.fromEntries(shown.map((one) => [one.name, config[one.name] ?? ''])),
    secretsSet: [...secret].filter((name) => config[name] !== undefined),
    callbackUrl: addresses.callbackUrl,
    webhookUrl: addresses.webhookUrl,
    docsUrl: entry?.docs_connect ?? entry?.docs ?? null,
    providerSource: entry ? sourceOf(entry) : null,
    pendingChange: facts.pendingChange ? viewProviderChange(facts.pendingChange) : null,
  };
}

const PLAIN_MEMBERS: readonly string[] = ['key', 'displayName', 'forwardWebhooks'];

/** A field that the provider no longer declares is treated as secret. */
function viewChange(
  { id, at, isUndo, fields, changedSince }: IntegrationChange,
  known: FieldView[],
): ShownIntegrationChange {
  const plain = known.filter((one) => one.secret !== true).map(({ name }) => `config.${name}`);
  return {
    id,
    at: isoDate(at),
    isUndo,
    fields: fields.map(({ field, before, after }) => {
      const isSecret = !PLAIN_MEMBERS.includes(field) && !plain.includes(field);
      return { field, isSecret, before: isSecret ? null : before, after: isSecret ? null : after };
    }),
    changedSince,
  };
}

function missingFields(entry: ProviderEntry | undefined, config: IntegrationConfig): string[] {
  return neededFields(entry).filter((name) => !config[name]);
}

/**
 * Returns the values of an integration's form. Throws unless every value names a field and fits its rules; an empty
 * value clears the field.
 */
function checkConfig<Value extends string | null>(
  fields: readonly FieldView[],
  config: Record<string, Value>,
): Record<string, Value> {
  const issues = Object.entries(config).flatMap(([name, value]) =>
    findIssue(
      fields.find((field) => field.name === name),
      name,
      value,
    ),
  );
  if (issues.length > 0) throw new HomeportError('invalid_body', 'The fields are not valid.', { issues });
  return config;
}

function findIssue(field: FieldView | undefined, name: string, value: string | null): Issue[] {
  const path = ['config', name];
  if (!field || field.automated) return [{ code: 'unrecognized_keys', message: `There is no field "${name}".`, path }];
  if (value === null || value === '') return [];
  if (field.enum && !field.enum.includes(value))
    return [{ code: 'invalid_value', message: `Choose one of ${field.enum.join(', ')}.`, path }];
  if (field.pattern && !new RegExp(field.pattern).test(value)) {
    return [{ code: 'invalid_format', message: `${field.title} does not have the expected form.`, path }];
  }
  return [];
}
