import { findConnection } from '../connections/resolve-connection.api.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { deleteOrHold } from '../data/deletion.dashboard.ts';
import type { Environment } from '../environments/environment.service.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { SyncCommand, SyncListItem } from './dashboard-syncs.contract.ts';
import type {
  CommandSelection,
  PastRun,
  SyncAddress,
  SyncSchedulesService,
  SyncStatus,
} from './sync-schedules.service.ts';

type Use = Pick<DashboardParts, 'about' | 'deletions' | 'integrations' | 'connections' | 'schedules'>;
type Keys =
  | 'GET /api/v1/sync'
  | 'POST /api/v1/sync/command'
  | 'POST /api/v1/sync/undo'
  | 'POST /api/v1/schedules/pause'
  | 'POST /api/v1/schedules/resume'
  | 'PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant'
  | 'GET /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant/next-runs'
  | 'POST /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant'
  | 'DELETE /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant';

export function syncRoutes(use: Use): DashboardHandlers<Keys> {
  const { commands, variants } = use.schedules;
  return {
    'GET /api/v1/sync': async ({ environment, query }) => {
      const { integration: integrationKey, connection: connectionId } = query;
      return { data: await listSyncs(use, environment, { integrationKey, connectionId }) };
    },

    'POST /api/v1/sync/command': async ({ environment, body }) => {
      const { integrationKey, connectionId, sync, variant } = body;
      if (connectionId !== undefined) await findConnection(use, environment, { integrationKey, connectionId });
      const selection: CommandSelection = {
        environmentId: environment.id,
        providerConfigKey: integrationKey,
        ...(connectionId === undefined
          ? { syncs: [], everyVariantOf: sync }
          : { connectionId, syncs: [{ name: sync, variant }] }),
        trigger: 'ui',
      };
      const changed = await carryOut(commands, body.command, selection, body.deleteRecords ?? false);
      // The run starts later, when the scheduler claims it; its operation then comes as an event.
      return {
        operationId: null,
        ...(body.wantsChanged && changed ? { changed } : {}),
      };
    },
    'POST /api/v1/sync/undo': async ({ environment, body: { command, syncs } }) => {
      const opposite = command === 'pause' ? 'unpause' : 'pause';
      return {
        count: (await commands.setBack(environment.id, opposite, syncs)).length,
      };
    },

    'POST /api/v1/schedules/pause': ({ body: { reason, until } }) => {
      use.schedules.pauseAll(reason, until === null ? Number.POSITIVE_INFINITY : Date.parse(until));
      return { pausedSchedules: use.about.health().pausedSchedules };
    },
    'POST /api/v1/schedules/resume': ({ body }) => {
      use.schedules.resumeAll(body.reason);
      return { pausedSchedules: use.about.health().pausedSchedules };
    },

    'PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': async (call) => {
      const { environment, params, body } = call;
      const address = addressOf(environment, params);
      if (body.frequency !== undefined) await commands.setFrequency(address, body.frequency);
      if (body.checkpoint !== undefined)
        await commands.setCheckpoint(address, { checkpoint: body.checkpoint, replaces: body.replaces });
      return findSync(use, environment, params);
    },
    'GET /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant/next-runs': async (call) => ({
      at: (await commands.listNextRuns(addressOf(call.environment, call.params), call.query.frequency)).map(isoDate),
    }),
    'POST /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': async (call) => {
      await variants.create(addressOf(call.environment, call.params));
      return findSync(use, call.environment, call.params);
    },
    'DELETE /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': async (call) =>
      deleteOrHold(use.deletions, call.environment, {
        hold: call.query.hold,
        object: { kind: 'variant', ...call.params },
        deleteNow: () => variants.remove(addressOf(call.environment, call.params)),
      }),
  };
}

interface SyncParams {
  integrationKey: string;
  connectionId: string;
  sync: string;
  variant: string;
}

const addressOf = (environment: Environment, params: SyncParams): SyncAddress => ({
  environmentId: environment.id,
  providerConfigKey: params.integrationKey,
  connectionId: params.connectionId,
  name: params.sync,
  variant: params.variant,
});

async function listSyncs(
  use: Use,
  environment: Environment,
  connection: Pick<SyncParams, 'integrationKey' | 'connectionId'>,
): Promise<SyncListItem[]> {
  const { statuses } = use.schedules;
  await findConnection(use, environment, connection);
  const selection = {
    environmentId: environment.id,
    providerConfigKey: connection.integrationKey,
    connectionId: connection.connectionId,
  };
  const [list, runs, held] = await Promise.all([
    statuses.list({ ...selection, syncs: [] }),
    statuses.listRecentRuns(selection),
    use.deletions.listHeld(environment.id, 'variant'),
  ]);
  return list.filter(({ id }) => !held.has(id)).map((sync) => viewSync(sync, runs.get(sync.id) ?? []));
}

async function findSync(use: Use, environment: Environment, params: SyncParams): Promise<SyncListItem> {
  const all = await listSyncs(use, environment, params);
  const found = all.find(({ name, variant }) => name === params.sync && variant === params.variant);
  if (!found) throw new HomeportError('not_found', `The connection has no sync "${params.sync}" (${params.variant}).`);
  return found;
}

/** A pause and a resume resolve to the ids of the syncs that they changed. */
async function carryOut(
  commands: SyncSchedulesService['commands'],
  command: SyncCommand,
  selection: CommandSelection,
  emptyCache: boolean,
): Promise<string[] | undefined> {
  switch (command) {
    case 'PAUSE':
      return commands.pause(selection);
    case 'UNPAUSE':
      return commands.start(selection);
    case 'CANCEL':
      await commands.cancel(selection);
      return undefined;
    case 'RUN':
      await commands.trigger(selection);
      return undefined;
    case 'RUN_FULL':
      await commands.trigger({ ...selection, reset: true, emptyCache });
      return undefined;
  }
}

export function viewSync(sync: SyncStatus, runs: PastRun[]): SyncListItem {
  const { latestRun } = sync;
  return {
    name: sync.name,
    variant: sync.variant,
    models: sync.models,
    status: sync.status === 'ERROR' && latestRun?.error === null ? 'CANCELLED' : sync.status,
    scheduleStatus: sync.scheduleStatus,
    frequency: sync.frequency,
    hasOwnFrequency: sync.hasOwnFrequency,
    lastRun: latestRun && {
      operationId: latestRun.logId,
      startedAt: isoDate(latestRun.startedAt),
      finishedAt: isoDateOrNull(latestRun.finishedAt),
      error: latestRun.error,
      refusal: latestRun.refusal,
    },
    nextRunAt: isoDateOrNull(sync.nextRunAt),
    recordCount: sync.recordCount,
    latestResult: latestRun?.finishedAt == null ? {} : latestRun.result,
    checkpoint: sync.checkpoint,
    changedSoFar: runs.find(({ status }) => status === 'RUNNING')?.changed ?? null,
    recentRuns: runs.map(({ logId, startedAt, ...run }) => ({
      ...run,
      operationId: logId,
      startedAt: isoDate(startedAt),
    })),
  };
}
