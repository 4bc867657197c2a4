import type { ConnectionsService } from '../connections/connections.service.ts';
import type { FunctionTriggers } from '../functions/deployments/function-triggers.ts';
import type { OperationLog } from '../log/operation.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { Refusal } from '../platform/lib/failure-cause.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { MaybePromise } from '../platform/lib/maybe-promise.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { Checkpoint, RecordsService } from '../records/records.service.ts';
import { BASE_VARIANT, checkpointKeyOf, listDefinitions, removeErrors, type SyncDefinition } from './scheduled-sync.ts';
import { createSyncCommands } from './sync-commands.ts';
import { createSyncCreation, type SyncCreation } from './sync-creation.ts';
import {
  createSyncTargets,
  forEachSlice,
  isSame,
  type SyncAddress,
  type SyncSelection,
  type SyncTargets,
} from './sync-targets.ts';
import {
  type ModelResult,
  type PastRunRow,
  type SyncJobStatus,
  SyncJobsStore,
  type SyncStatusRow,
  SyncsStore,
} from './syncs.store.ts';

export {
  SYNC_RUN,
  type SyncDefinition,
  type SyncOwner,
  toSyncDefinition,
} from './scheduled-sync.ts';
export type { CommandSelection } from './sync-commands.ts';
export type { SyncAddress } from './sync-targets.ts';

export type PauseReason = 'person' | 'battery';

/** What the parts of this service may use; each takes what it names. */
export interface SyncParts {
  database: Database;
  clock: Clock;
  ids: Ids;
  log: OperationLog;
  scheduler: Scheduler;
  records: RecordsService;
  integrations: { find(environmentId: number, uniqueKey: string): MaybePromise<{ id: number } | undefined> };
  connections: {
    find(integration: { id: number }, connectionId: string): MaybePromise<{ id: number } | undefined>;
    removeSyncErrors: ConnectionsService['removeSyncErrors'];
  };
  /** Lists the live and enabled syncs of an integration. */
  triggers: Pick<FunctionTriggers, 'listSyncs'>;
  syncsStore: SyncsStore;
}

export type SyncSchedulesService = ReturnType<typeof createSyncSchedulesService>;

/** State and frequency of every sync. This service only enqueues runs; `SyncsService` executes them. */
export function createSyncSchedulesService({
  database,
  clock,
  ids,
  log,
  scheduler,
  records,
  integrations,
  connections,
  triggers,
  onPauseChanged,
}: Omit<SyncParts, 'syncsStore'> & {
  /** Called after a person started or ended a pause of all schedules. */
  onPauseChanged(): void;
}) {
  const syncsStore = new SyncsStore();
  const targets = createSyncTargets({ integrations, connections, syncsStore, database });
  const creation = createSyncCreation({ syncsStore, scheduler, records, connections, clock, ids, log });
  return {
    /** Start, pause, trigger, cancel and change the frequency. */
    commands: createSyncCommands({ database, clock, log, scheduler, records, triggers, syncsStore, targets }),
    /** Creates and removes syncs with connections and functions. */
    creation,
    statuses: createSyncStatuses({ database, records, integrations, connections, triggers, syncsStore }),
    variants: createSyncVariants({
      database,
      scheduler,
      records,
      connections,
      triggers,
      syncsStore,
      targets,
      creation,
    }),
    /** Schedules of all environments start no run before `until` (milliseconds since the epoch, or `Infinity`). */
    pauseAll(reason: PauseReason, until: number): void {
      scheduler.pauseSchedules(reason, until);
      onPauseChanged();
    },
    /** Ends the pause of a reason, or all pauses. */
    resumeAll(reason?: PauseReason): void {
      scheduler.resumeSchedules(reason);
      onPauseChanged();
    },
    /** Null while schedules run. `pauses`: one for each reason. */
    get pause(): {
      until: number;
      reasons: PauseReason[];
      pauses: Array<{ reason: PauseReason; until: number }>;
    } | null {
      const pause = scheduler.schedulesPause;
      if (!pause) return null;
      const pauses = pause.pauses as Array<{ reason: PauseReason; until: number }>;
      return { until: pause.until, reasons: pauses.map(({ reason }) => reason), pauses };
    },
  };
}

/** Limit for syncs with the same name on one connection. */
const MAX_VARIANTS = 100;

/**
 * Further copies of a sync on one connection, each with its own schedule, checkpoint and records (syncs-and-records.md
 * 1.11).
 */
function createSyncVariants({
  triggers,
  database,
  syncsStore,
  scheduler,
  records,
  connections,
  targets,
  creation,
}: Pick<SyncParts, 'triggers' | 'database' | 'syncsStore' | 'scheduler' | 'records' | 'connections'> & {
  targets: SyncTargets;
  creation: SyncCreation;
}) {
  return {
    async create(address: SyncAddress): Promise<{ id: string; name: string; variant: string }> {
      const { name, variant, environmentId, connectionId } = address;
      checkVariant(variant);
      const context = await targets.resolveIds(address);
      const definitions = await listDefinitions(triggers, environmentId, address.providerConfigKey);
      const definition = definitions.find((candidate) => candidate.name === name);
      return database.transaction(async (tx) => {
        const existing = await syncsStore.list(tx, { ...context, name });
        if (existing.length >= MAX_VARIANTS) {
          throw new HomeportError('resource_capped', `A connection has at most ${MAX_VARIANTS} variants of a sync.`);
        }
        if (existing.some((sync) => sync.variant === variant)) {
          throw new HomeportError('sync_variant_already_exists', 'The variant exists already.', { silent: true });
        }
        if (!definition) throw new HomeportError('unknown_sync', 'The integration has no such sync.', { silent: true });
        const [made] = await creation.create(tx, [{ ...context, environmentId, connectionId }], definition, variant);
        if (!made) throw new HomeportError('failed_sync_variant_creation', 'The variant could not be created.');
        return { id: made.id, name, variant };
      });
    },
    /** Id of the sync; undefined when the connection has no such variant. */
    async findId(address: SyncAddress): Promise<string | undefined> {
      return (await targets.find(address))?.id;
    },
    async remove(address: SyncAddress): Promise<void> {
      checkVariant(address.variant);
      const sync = await targets.find(address);
      if (!sync) throw unknownVariant();
      const definitions = await listDefinitions(triggers, address.environmentId, address.providerConfigKey);
      const models = definitions.find((definition) => definition.name === sync.name)?.models ?? [];
      await database.transaction(async (tx) => {
        // Another call may have removed it meanwhile; the records of a new variant with this name must stay.
        if ((await syncsStore.remove(tx, [sync.id])) === 0) throw unknownVariant();
        await scheduler.schedules.remove(tx, [sync.id]);
        await records.empty(
          tx,
          models.map((model) => ({ ...sync, model })),
        );
        await records.removeCheckpoints(tx, [{ connectionRowId: sync.connectionRowId, key: checkpointKeyOf(sync) }]);
        await removeErrors(connections, tx, [sync]);
      });
    },
  };
}

function unknownVariant(): HomeportError {
  return new HomeportError('not_found', 'The connection has no such variant.', { silent: true });
}

function checkVariant(variant: string): void {
  if (variant.toLowerCase() === BASE_VARIANT)
    throw new HomeportError('invalid_variant', `The variant name '${BASE_VARIANT}' is reserved.`);
}

/** State of one sync; times in milliseconds since the epoch (syncs-and-records.md 1.8). */
export interface SyncStatus {
  id: string;
  connectionId: string;
  name: string;
  variant: string;
  type: 'INITIAL' | 'INCREMENTAL';
  status: 'RUNNING' | 'PAUSED' | 'ERROR' | 'SUCCESS' | 'STOPPED';
  scheduleStatus: 'STARTED' | 'PAUSED' | 'STOPPED';
  models: string[];
  /** Null before the first run. */
  latestRun: {
    status: SyncJobStatus;
    /** By declared model. */
    result: Record<string, ModelResult>;
    logId: string;
    error: string | null;
    refusal: Refusal | null;
    startedAt: number;
    /** Null while the run is running. */
    finishedAt: number | null;
  } | null;
  nextRunAt: number | null;
  /** The connection's own text, else the function's. */
  frequency: string | null;
  /** True when the frequency is the connection's own. */
  hasOwnFrequency: boolean;
  recordCount: Record<string, number>;
  checkpoint: Checkpoint | null;
}

/** A past or running run. */
export interface PastRun {
  logId: string;
  status: SyncJobStatus | 'CANCELLED';
  startedAt: number;
  /** Milliseconds; null while it runs. */
  durationMs: number | null;
  /** Number of records added, updated and deleted. */
  changed: number;
}

const RECENT_RUNS = 20;

function createSyncStatuses({
  integrations,
  connections,
  syncsStore,
  database,
  records,
  triggers,
}: Pick<SyncParts, 'integrations' | 'connections' | 'syncsStore' | 'database' | 'records' | 'triggers'>) {
  const syncJobs = new SyncJobsStore();

  return {
    /** The last 20 runs of each sync by its id, oldest first. */
    async listRecentRuns(
      selection: Pick<SyncAddress, 'environmentId' | 'providerConfigKey' | 'connectionId'>,
    ): Promise<Map<string, PastRun[]>> {
      const integration = await integrations.find(selection.environmentId, selection.providerConfigKey);
      const connection = integration && (await connections.find(integration, selection.connectionId));
      if (!integration || !connection) return new Map();
      const filter = { integrationId: integration.id, connectionRowId: connection.id };
      const syncs = await syncsStore.list(database.reader, filter);
      const rowIds = syncs.map(({ rowId }) => rowId);
      const runs = await syncJobs.listRecent(database.reader, rowIds, RECENT_RUNS);
      return new Map(
        syncs.map(({ id, rowId }) => [id, runs.filter(({ syncRowId }) => syncRowId === rowId).map(toPastRun)]),
      );
    },
    /** Unknown names are left out. An unknown integration gives an empty list, unless a connection is named. */
    async list(selection: SyncSelection): Promise<SyncStatus[]> {
      const { environmentId, providerConfigKey, connectionId } = selection;
      const integration = await integrations.find(environmentId, providerConfigKey);
      if (!integration && connectionId === undefined) return [];
      const connection =
        integration && connectionId !== undefined ? await connections.find(integration, connectionId) : undefined;
      if (!integration || (connectionId !== undefined && !connection))
        throw new HomeportError('invalid_body', 'There is no such connection.');
      const filter = { integrationId: integration.id, ...(connection ? { connectionRowId: connection.id } : {}) };
      const definitions = new Map(
        (await listDefinitions(triggers, environmentId, providerConfigKey)).map((definition) => [
          definition.name,
          definition,
        ]),
      );
      const statuses: SyncStatus[] = [];
      await forEachSlice({ database, syncsStore }, filter, async (slice) => {
        const rows = (await syncsStore.listWithStatus(database.reader, slice)).filter(
          (row) => selection.syncs.length === 0 || selection.syncs.some((ref) => isSame(row, ref)),
        );
        const counts = await records.countByModel([...new Set(rows.map((row) => row.connectionRowId))]);
        for (const row of rows)
          statuses.push(toStatus(row, definitions.get(row.name), counts.get(row.connectionRowId) ?? {}));
      });
      return statuses;
    },
  };
}

function toStatus(
  row: SyncStatusRow,
  definition: SyncDefinition | undefined,
  counts: Record<string, number>,
): SyncStatus {
  const models = definition?.models ?? [];
  return {
    id: row.id,
    connectionId: row.connectionId,
    name: row.name,
    variant: row.variant,
    type: row.jobType === 'INCREMENTAL' && definition?.type === 'incremental' ? 'INCREMENTAL' : 'INITIAL',
    status: statusOf(row),
    scheduleStatus: row.scheduleState === null ? 'STOPPED' : row.scheduleState === 'paused' ? 'PAUSED' : 'STARTED',
    models,
    latestRun: latestRunOf(row, models),
    nextRunAt: row.scheduleState === 'started' ? row.nextExecutionAt : null,
    frequency: row.frequency ?? definition?.frequency ?? null,
    hasOwnFrequency: row.frequency !== null,
    recordCount: Object.fromEntries(models.map((model) => [model, counts[model] ?? 0])),
    checkpoint: row.checkpoint === null ? null : (JSON.parse(row.checkpoint) as Checkpoint),
  };
}

function toPastRun(row: PastRunRow): PastRun {
  const results = Object.values(JSON.parse(row.result) as Record<string, ModelResult>);
  return {
    logId: row.logId,
    status: row.status === 'STOPPED' && row.error === null ? 'CANCELLED' : row.status,
    startedAt: row.createdAt,
    durationMs: row.status === 'RUNNING' ? null : row.updatedAt - row.createdAt,
    changed: results.reduce((sum, { added, updated, deleted }) => sum + added + updated + deleted, 0),
  };
}

function statusOf(row: SyncStatusRow): SyncStatus['status'] {
  if (row.jobStatus === 'RUNNING') return 'RUNNING';
  if (row.scheduleState === null) return 'STOPPED';
  if (row.scheduleState === 'paused') return 'PAUSED';
  return row.jobStatus === 'STOPPED' ? 'ERROR' : 'SUCCESS';
}

function latestRunOf(row: SyncStatusRow, models: string[]): SyncStatus['latestRun'] {
  if (row.jobStatus === null || row.jobCreatedAt === null) return null;
  const none: ModelResult = { added: 0, updated: 0, deleted: 0 };
  const result = JSON.parse(row.jobResult ?? '{}') as Record<string, ModelResult>;
  return {
    status: row.jobStatus,
    result: { ...Object.fromEntries(models.map((model) => [model, none])), ...result },
    logId: row.jobLogId ?? '',
    error: row.jobError,
    refusal: row.jobRefusal === null ? null : (JSON.parse(row.jobRefusal) as Refusal),
    startedAt: row.jobCreatedAt,
    finishedAt: row.jobStatus === 'RUNNING' ? null : row.jobUpdatedAt,
  };
}
