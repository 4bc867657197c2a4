import { HomeportError } from '../../lib/homeport-error.ts';
import { type ModelResult, type PastRunRow, type SyncJobStatus, SyncJobsStore } from '../../stores/sync-jobs-store.ts';
import type { SyncStatusRow } from '../../stores/syncs-store.ts';
import type { Checkpoint } from '../records/records-service.ts';
import type { SyncDefinition } from './scheduled-sync.ts';
import { listDefinitions } from './scheduled-sync.ts';
import type { SyncParts } from './sync-schedules-service.ts';
import { isSame, type SyncAddress, type SyncSelection } from './sync-targets.ts';

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
  status: SyncJobStatus;
  startedAt: number;
  /** Milliseconds; null while it runs. */
  durationMs: number | null;
  /** Number of records added, updated and deleted. */
  changed: number;
}

const RECENT_RUNS = 20;

export class SyncStatuses {
  readonly #parts: SyncParts;
  readonly #syncJobs = new SyncJobsStore();

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  /** The last 20 runs of each sync by its id, oldest first. */
  async listRecentRuns(
    selection: Pick<SyncAddress, 'environmentId' | 'providerConfigKey' | 'connectionId'>,
  ): Promise<Map<string, PastRun[]>> {
    const { integrations, connections, syncsStore, database } = this.#parts;
    const integration = await integrations.find(selection.environmentId, selection.providerConfigKey);
    const connection = integration && (await connections.find(integration, selection.connectionId));
    if (!integration || !connection) return new Map();
    const filter = { integrationId: integration.id, connectionRowId: connection.id };
    const syncs = await syncsStore.list(database.reader, filter);
    const rowIds = syncs.map(({ rowId }) => rowId);
    const runs = await this.#syncJobs.listRecent(database.reader, rowIds, RECENT_RUNS);
    return new Map(
      syncs.map(({ id, rowId }) => [id, runs.filter(({ syncRowId }) => syncRowId === rowId).map(toPastRun)]),
    );
  }

  /** Unknown names are left out. An unknown integration gives an empty list, unless a connection is named. */
  async list(selection: SyncSelection): Promise<SyncStatus[]> {
    const { integrations, connections, syncsStore: syncs, records, database } = this.#parts;
    const { environmentId, providerConfigKey, connectionId } = selection;
    const integration = await integrations.find(environmentId, providerConfigKey);
    if (!integration && connectionId === undefined) return [];
    const connection =
      integration && connectionId !== undefined ? await connections.find(integration, connectionId) : undefined;
    if (!integration || (connectionId !== undefined && !connection))
      throw new HomeportError('invalid_body', 'There is no such connection.');
    const filter = { integrationId: integration.id, ...(connection ? { connectionRowId: connection.id } : {}) };
    const rows = (await syncs.listWithStatus(database.reader, filter)).filter(
      (row) => selection.syncs.length === 0 || selection.syncs.some((ref) => isSame(row, ref)),
    );
    const definitions = new Map(
      (await listDefinitions(this.#parts, environmentId, providerConfigKey)).map((definition) => [
        definition.name,
        definition,
      ]),
    );
    const counts = await records.countByModel([...new Set(rows.map((row) => row.connectionRowId))]);
    return rows.map((row) => toStatus(row, definitions.get(row.name), counts.get(row.connectionRowId) ?? {}));
  }
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
    status: row.status,
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
    startedAt: row.jobCreatedAt,
    finishedAt: row.jobStatus === 'RUNNING' ? null : row.jobUpdatedAt,
  };
}
