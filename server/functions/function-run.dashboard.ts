import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { takePage } from '../dashboard/api/list-page.ts';
import type { LogsService } from '../log/logs.service.ts';
import { isoDate } from '../platform/lib/dates.ts';
import { viewSync } from '../syncs/sync.dashboard.ts';
import type { SyncStatus } from '../syncs/sync-schedules.service.ts';
import type { FunctionConnectionRow, FunctionStats } from './dashboard-functions.contract.ts';
import type { DeployedFunction } from './deployments/deployed-function.ts';
import { findFunction } from './function.dashboard.ts';

type Use = Pick<DashboardParts, 'clock' | 'deployments' | 'logs' | 'schedules'>;
type Keys =
  | 'GET /api/v1/functions/:integrationKey/:type/:name/stats'
  | 'GET /api/v1/functions/:integrationKey/sync/:name/connections';

/** Runs of a function and their statistics. */
export function functionRunRoutes(use: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/functions/:integrationKey/:type/:name/stats': async ({ environment, params, query }) =>
      readStats(use, await findFunction(use, environment, params), query),
    'GET /api/v1/functions/:integrationKey/sync/:name/connections': listConnections(use),
  };
}

const DAY_MS = 86_400_000;
/** Width of one bar of the chart: four bars a day. */
const BUCKET_MS = DAY_MS / 4;
const RUN_TYPES = { sync: 'sync:run', action: 'action:run', 'on-event': 'events' } as const;

async function readStats(
  { clock, logs }: Use,
  deployed: DeployedFunction,
  { days, timeZone }: { days: number; timeZone: string },
): Promise<FunctionStats> {
  const to = clock.now();
  const filter = {
    environmentId: deployed.environmentId,
    integrations: [deployed.integrationKey],
    functions: [deployed.name],
    types: [RUN_TYPES[deployed.type]],
    from: to - days * DAY_MS,
    to,
  };
  const { buckets } = await logs.getHistogram({ ...filter, bucketMs: BUCKET_MS, timeZone });
  const view = buckets.map(({ at, states }) => ({
    at: isoDate(at),
    succeeded: states.success ?? 0,
    failed: (states.failed ?? 0) + (states.timeout ?? 0),
  }));
  const succeeded = view.reduce((sum, one) => sum + one.succeeded, 0);
  const [p50Ms, p95Ms] = await Promise.all(
    [0.5, 0.95].map((share) => durationAt(logs, filter, Math.max(Math.ceil(succeeded * share) - 1, 0))),
  );
  const total = succeeded + view.reduce((sum, one) => sum + one.failed, 0);
  return { total, succeeded, p50Ms: p50Ms ?? null, p95Ms: p95Ms ?? null, buckets: view };
}

/** Duration of the successful run at this rank, ordered by duration, in milliseconds. */
async function durationAt(
  logs: Pick<LogsService, 'listOperations'>,
  filter: Parameters<LogsService['listOperations']>[0],
  offset: number,
): Promise<number | null> {
  const query = { ...filter, states: ['success'], sort: 'duration', direction: 'asc', offset, limit: 1 } as const;
  return (await logs.listOperations(query)).operations[0]?.durationMs ?? null;
}

const SORT_VALUES = {
  connection: (row: FunctionConnectionRow) => row.connectionId,
  status: (row: FunctionConnectionRow) => row.status,
  lastRun: (row: FunctionConnectionRow) => row.lastRun?.startedAt ?? null,
  next: (row: FunctionConnectionRow) => row.nextRunAt,
};

function listConnections(use: Use): DashboardHandler<'GET /api/v1/functions/:integrationKey/sync/:name/connections'> {
  return async ({ environment, params, query }) => {
    const { integrationKey, name } = params;
    await findFunction(use, environment, { integrationKey, type: 'sync', name });
    const selection = { environmentId: environment.id, providerConfigKey: integrationKey, syncs: [] };
    const syncs = (await use.schedules.statuses.list(selection)).filter((sync) => sync.name === name);
    const page = takePage(
      syncs.map((sync, index) => ({ index, row: viewConnectionOf(sync) })),
      {
        query,
        defaultSort: 'connection',
        rowId: ({ index }) => index,
        texts: ({ row }) => [row.connectionId],
        value: ({ row }, key) => SORT_VALUES[key as keyof typeof SORT_VALUES](row),
      },
    );
    return { data: page.rows.map(({ row }) => row), total: page.total, snapshot: page.snapshot };
  };
}

function viewConnectionOf(sync: SyncStatus): FunctionConnectionRow {
  const { variant, status, scheduleStatus, frequency, hasOwnFrequency, lastRun, nextRunAt } = viewSync(sync, []);
  return {
    connectionId: sync.connectionId,
    variant,
    status,
    scheduleStatus,
    frequency,
    hasOwnFrequency,
    lastRun,
    nextRunAt,
  };
}
