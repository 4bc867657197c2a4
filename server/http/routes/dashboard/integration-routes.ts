import { callbackUrlOf } from '../../../contract/callback-page.ts';
import type { IntegrationDetail } from '../../../contract/dashboard/dashboard-integrations.ts';
import { webhookAddress } from '../../../contract/webhook-address.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Environment } from '../../../services/environment/environment-service.ts';
import type { Integration } from '../../../services/integrations/integration.ts';
import { checkConfig } from '../../dashboard/check-config.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import {
  type IntegrationFacts,
  integrationFields,
  viewIntegration,
  viewIntegrationDetail,
} from '../../dashboard/integration-view.ts';
import { takePage } from '../../dashboard/list-page.ts';

type Use = Pick<DashboardParts, 'about' | 'catalog' | 'integrations' | 'connections' | 'deployments' | 'lifecycle'>;
type Keys =
  | 'GET /api/v1/integrations'
  | 'POST /api/v1/integrations'
  | 'GET /api/v1/integrations/:integrationKey'
  | 'PATCH /api/v1/integrations/:integrationKey'
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
      describe(use, environment, await find(use, environment, params.integrationKey)),

    'PATCH /api/v1/integrations/:integrationKey': change(use),
    'DELETE /api/v1/integrations/:integrationKey': async ({ environment, params }) => {
      await use.lifecycle.deleteIntegration(environment, params.integrationKey);
      return { success: true };
    },
  };
}

const SORT_VALUES = {
  name: (row: IntegrationDetailRow) => row.displayName,
  key: (row: IntegrationDetailRow) => row.key,
  provider: (row: IntegrationDetailRow) => row.provider,
  authMode: (row: IntegrationDetailRow) => row.authMode,
  connections: (row: IntegrationDetailRow) => row.connectionCount,
  errors: (row: IntegrationDetailRow) => row.errorCount,
  updated: (row: IntegrationDetailRow) => row.updatedAt,
};
type IntegrationDetailRow = ReturnType<typeof viewIntegration>;

function listPage(use: Use): DashboardHandler<'GET /api/v1/integrations'> {
  return async ({ environment, query }) => {
    const facts = await readFacts(use, environment, await use.integrations.list(environment.id));
    const all = facts.map((one) => ({ id: one.integration.id, row: viewIntegration(one) }));
    const found = query.authModes ? all.filter(({ row }) => query.authModes?.includes(row.authMode)) : all;
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
    const { provider } = await find(use, environment, integrationKey);
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

async function find({ integrations }: Use, environment: Environment, key: string): Promise<Integration> {
  const integration = await integrations.find(environment.id, key);
  if (!integration) throw new HomeportError('not_found', `There is no integration "${key}".`);
  return integration;
}

async function requireFreeKey({ integrations }: Use, environment: Environment, key: string): Promise<void> {
  if (await integrations.find(environment.id, key))
    throw new HomeportError('conflict', `There is already an integration "${key}".`);
}

async function describe(use: Use, environment: Environment, integration: Integration): Promise<IntegrationDetail> {
  const [facts] = await readFacts(use, environment, [integration]);
  if (!facts) throw new Error('The integration has no facts.');
  const base = use.about.publicBase();
  return viewIntegrationDetail(facts, {
    callbackUrl: callbackUrlOf(environment.settings.callbackUrl, base),
    webhookUrl: webhookAddress(base, environment.uuid, integration.uniqueKey),
  });
}

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
      config: await use.integrations.readConfig(environment.id, integration.uniqueKey),
      usage: usage.find((one) => one.integrationId === integration.id),
      functions: functions.get(integration.uniqueKey) ?? { total: 0, enabled: 0 },
    })),
  );
}
