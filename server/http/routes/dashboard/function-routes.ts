import type { FunctionDetail, FunctionRow, FunctionType } from '../../../contract/dashboard/dashboard-functions.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { DeployedFunction } from '../../../services/deployments/deployed-function.ts';
import type { Environment } from '../../../services/environment/environment-service.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { viewFunction, viewFunctionDetail, viewMissing } from '../../dashboard/function-view.ts';
import { takePage } from '../../dashboard/list-page.ts';

type Use = Pick<DashboardParts, 'deployments' | 'integrations' | 'functionPruning' | 'functionSyncs'>;
type Keys =
  | 'GET /api/v1/functions'
  | 'GET /api/v1/functions/missing'
  | 'POST /api/v1/functions/missing/confirm'
  | 'POST /api/v1/functions/missing/prune'
  | 'GET /api/v1/functions/:integrationKey/:type/:name'
  | 'PATCH /api/v1/functions/:integrationKey/:type/:name';

export function functionRoutes(use: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/functions': listPage(use),
    'GET /api/v1/functions/missing': async ({ environment }) =>
      viewMissing(await use.functionPruning.describe(environment.id)),

    'POST /api/v1/functions/missing/confirm': async ({ environment }) => {
      await use.functionPruning.confirm();
      return viewMissing(await use.functionPruning.describe(environment.id));
    },

    'POST /api/v1/functions/missing/prune': async ({ environment, body }) => {
      const keys = body.functions.map((one) => ({ ...one, environmentId: environment.id }));
      return { removed: (await use.functionPruning.prune(keys)).length };
    },

    'GET /api/v1/functions/:integrationKey/:type/:name': async ({ environment, params }) =>
      describe(use, environment, await find(use, environment, params)),

    'PATCH /api/v1/functions/:integrationKey/:type/:name': async ({ environment, params, body }) => {
      await use.functionSyncs.setEnabled(await find(use, environment, params), body.isEnabled);
      return describe(use, environment, await find(use, environment, params));
    },
  };
}

const SORT_VALUES = {
  name: (row: FunctionRow) => row.name,
  integration: (row: FunctionRow) => row.integrationKey,
  type: (row: FunctionRow) => row.type,
  status: (row: FunctionRow) => row.status,
  lastRun: (row: FunctionRow) => row.lastRun?.at ?? null,
  updated: (row: FunctionRow) => row.updatedAt,
};

function listPage(use: Use): DashboardHandler<'GET /api/v1/functions'> {
  return async ({ environment, query }) => {
    const [summaries, integrations] = await Promise.all([
      use.deployments.listSummaries(environment.id),
      use.integrations.list(environment.id),
    ]);
    const providers = new Map(integrations.map((one) => [one.uniqueKey, one.provider]));
    const all = summaries.map((summary) => ({
      summary,
      row: viewFunction(summary, providers.get(summary.integrationKey) ?? null),
    }));
    const found = all.filter(
      ({ row }) =>
        (query.integrations?.includes(row.integrationKey) ?? true) &&
        (query.types?.includes(row.type) ?? true) &&
        (query.status?.includes(row.status) ?? true),
    );
    const page = takePage(found, {
      query,
      defaultSort: 'name',
      rowId: ({ summary }) => summary.id,
      texts: ({ summary }) => [summary.name, summary.description],
      value: ({ row }, key) => SORT_VALUES[key as keyof typeof SORT_VALUES](row),
    });
    return { data: page.rows.map(({ row }) => row), total: page.total, snapshot: page.snapshot };
  };
}

async function find(
  use: Use,
  environment: Environment,
  key: { integrationKey: string; type: FunctionType; name: string },
): Promise<DeployedFunction> {
  const deployed = await use.deployments.find(environment.id, key.integrationKey, key.type, key.name);
  if (!deployed)
    throw new HomeportError(
      'not_found',
      `There is no ${key.type} "${key.name}" in the folder "${key.integrationKey}".`,
    );
  return deployed;
}

async function describe(use: Use, environment: Environment, deployed: DeployedFunction): Promise<FunctionDetail> {
  const { deployments, integrations } = use;
  const [summaries, integration, code] = await Promise.all([
    deployments.listSummaries(environment.id, deployed.integrationKey),
    integrations.find(environment.id, deployed.integrationKey),
    deployments.readFile(deployed),
  ]);
  const summary = summaries.find((one) => one.id === deployed.id);
  if (!summary) throw new HomeportError('not_found', `The function "${deployed.name}" was removed.`);
  return viewFunctionDetail({
    summary,
    deployed,
    provider: integration?.provider ?? null,
    code,
    check: deployments.findLastCheck(deployed),
  });
}
