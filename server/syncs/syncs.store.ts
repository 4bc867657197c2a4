import { Conditions } from '../platform/database/conditions.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** One sync of one connection. Its id is also the id of its schedule. */
export interface SyncRow {
  rowId: number;
  id: string;
  environmentId: number;
  integrationId: number;
  connectionRowId: number;
  connectionId: string;
  name: string;
  variant: string;
  /** The caller's own frequency for this connection, as the caller wrote it. */
  frequency: string | null;
  /** Milliseconds; start of the last successful run. */
  lastSyncDate: number | null;
}

export type NewSync = Pick<
  SyncRow,
  'id' | 'environmentId' | 'integrationId' | 'connectionRowId' | 'connectionId' | 'name' | 'variant'
>;

/** A sync with everything that its status is computed from. */
export interface SyncStatusRow extends SyncRow {
  scheduleState: 'started' | 'paused' | null;
  nextExecutionAt: number | null;
  jobType: SyncJobType | null;
  jobStatus: SyncJobStatus | null;
  jobResult: string | null;
  jobLogId: string | null;
  jobError: string | null;
  /** JSON text of the provider's refusal; null when the log has deleted the run. */
  jobRefusal: string | null;
  jobCreatedAt: number | null;
  jobUpdatedAt: number | null;
  checkpoint: string | null;
}

export interface SyncState extends Pick<SyncRow, 'name' | 'variant'> {
  /** 1, or 0 while its function is switched off or its file is missing. */
  isUsed: number;
  isScheduled: number;
}

export interface SyncFilter {
  integrationId: number;
  connectionRowId?: number;
  name?: string;
  variant?: string;
  /** Only these, by `rowId`. */
  rowIds?: readonly number[];
}

const COLUMNS = `s.row_id AS rowId, s.id, s.environment_id AS environmentId, s.integration_id AS integrationId,
  s.connection_row_id AS connectionRowId, s.connection_id AS connectionId, s.name, s.variant, s.frequency,
  s.last_sync_date AS lastSyncDate`;

export class SyncsStore {
  async insertMany(tx: Transaction, syncs: NewSync[], now: number): Promise<void> {
    await tx.run(
      `INSERT INTO syncs (id, environment_id, integration_id, connection_row_id, connection_id, name, variant, created_at)
       SELECT value ->> 'id', value ->> 'environmentId', value ->> 'integrationId', value ->> 'connectionRowId',
         value ->> 'connectionId', value ->> 'name', value ->> 'variant', ?
       FROM json_each(?)`,
      [now, JSON.stringify(syncs)],
    );
  }

  async find(db: ReadHandle, id: string): Promise<SyncRow | undefined> {
    return db.get(`SELECT ${COLUMNS} FROM syncs s WHERE s.id = ? AND s.deleted_at IS NULL`, [id]);
  }

  /** Those of the ids that are in use. */
  async listUsed(db: ReadHandle, ids: readonly string[]): Promise<SyncRow[]> {
    return db.all(
      `SELECT ${COLUMNS} FROM syncs s WHERE s.id IN (SELECT value FROM json_each(?)) AND s.deleted_at IS NULL`,
      [JSON.stringify(ids)],
    );
  }

  /** Those of the ids that exist, each with its integration. */
  async listByIds(
    db: ReadHandle,
    { environmentId, ids }: { environmentId: number; ids: readonly string[] },
  ): Promise<Array<SyncRow & { integrationKey: string }>> {
    return db.all(
      `SELECT ${COLUMNS}, i.unique_key AS integrationKey FROM syncs s JOIN integrations i ON i.id = s.integration_id
       WHERE s.id IN (SELECT value FROM json_each(?)) AND s.environment_id = ? AND s.deleted_at IS NULL ORDER BY s.row_id`,
      [JSON.stringify(ids), environmentId],
    );
  }

  async list(db: ReadHandle, filter: SyncFilter): Promise<SyncRow[]> {
    const { sql: where, params } = conditions(filter);
    return db.all(`SELECT ${COLUMNS} FROM syncs s WHERE ${where} AND s.deleted_at IS NULL ORDER BY s.row_id`, params);
  }

  /** The row ids of what `list` returns, as one value: thousands of rows would block the event loop for long. */
  async listRowIds(db: ReadHandle, filter: SyncFilter): Promise<number[]> {
    const { sql: where, params } = conditions(filter);
    const row = await db.get<{ ids: string }>(
      `SELECT json_group_array(rowId) AS ids FROM (
         SELECT s.row_id AS rowId FROM syncs s WHERE ${where} AND s.deleted_at IS NULL ORDER BY s.row_id)`,
      params,
    );
    return JSON.parse(row?.ids ?? '[]') as number[];
  }

  /** Syncs whose function is switched off, or whose file is missing. */
  async listDeleted(db: ReadHandle, filter: SyncFilter): Promise<SyncRow[]> {
    const { sql: where, params } = conditions(filter);
    return db.all(
      `SELECT ${COLUMNS} FROM syncs s WHERE ${where} AND s.deleted_at IS NOT NULL ORDER BY s.row_id`,
      params,
    );
  }

  /** All syncs, with whether they have a schedule; also those whose function is switched off. */
  async listStates(db: ReadHandle, filter: SyncFilter): Promise<SyncState[]> {
    const { sql: where, params } = conditions(filter);
    return db.all(
      `SELECT s.name, s.variant, s.deleted_at IS NULL AS isUsed, c.id IS NOT NULL AS isScheduled
       FROM syncs s LEFT JOIN schedules c ON c.id = s.id WHERE ${where} ORDER BY s.row_id`,
      params,
    );
  }

  async listUnscheduled(db: ReadHandle, filter: SyncFilter): Promise<SyncRow[]> {
    const { sql: where, params } = conditions(filter);
    return db.all(
      `SELECT ${COLUMNS} FROM syncs s LEFT JOIN schedules c ON c.id = s.id
       WHERE ${where} AND s.deleted_at IS NULL AND c.id IS NULL ORDER BY s.row_id`,
      params,
    );
  }

  async listWithStatus(db: ReadHandle, filter: SyncFilter): Promise<SyncStatusRow[]> {
    const { sql: where, params } = conditions(filter);
    return db.all(
      `SELECT ${COLUMNS}, c.state AS scheduleState, c.next_execution_at AS nextExecutionAt, j.type AS jobType,
         j.status AS jobStatus, j.result AS jobResult, j.log_id AS jobLogId, j.error AS jobError, j.created_at AS jobCreatedAt,
         j.updated_at AS jobUpdatedAt, p.value AS checkpoint,
         (SELECT o.error ->> 'refusal' FROM log_operations o WHERE o.id = j.log_id) AS jobRefusal
       FROM syncs s
       LEFT JOIN schedules c ON c.id = s.id
       LEFT JOIN sync_jobs j ON j.id = s.latest_job_id
       LEFT JOIN checkpoints p ON p.connection_row_id = s.connection_row_id
         AND p.key = 'sync:' || s.name || ':' || s.variant AND p.deleted_at IS NULL
       WHERE ${where} AND s.deleted_at IS NULL ORDER BY s.row_id`,
      params,
    );
  }

  async setFrequency(tx: Transaction, id: string, frequency: string | null): Promise<void> {
    await tx.run('UPDATE syncs SET frequency = ? WHERE id = ?', [frequency, id]);
  }

  async setLastSyncDates(tx: Transaction, dates: ReadonlyArray<{ rowId: number; at: number }>): Promise<void> {
    await tx.run(
      'UPDATE syncs SET last_sync_date = one.value ->> 1 FROM json_each(?) AS one WHERE row_id = one.value ->> 0',
      [JSON.stringify(dates.map(({ at, rowId }) => [rowId, at]))],
    );
  }

  async forgetLastSyncDates(tx: Transaction, ids: string[]): Promise<void> {
    await tx.run('UPDATE syncs SET last_sync_date = NULL WHERE id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(ids),
    ]);
  }

  async setLatestJobs(tx: Transaction, jobs: ReadonlyArray<{ rowId: number; jobId: number }>): Promise<void> {
    await tx.run(
      'UPDATE syncs SET latest_job_id = one.value ->> 1 FROM json_each(?) AS one WHERE row_id = one.value ->> 0',
      [JSON.stringify(jobs.map(({ jobId, rowId }) => [rowId, jobId]))],
    );
  }

  /** Suspends syncs with their function and stores whether their schedules were started. */
  async suspend(tx: Transaction, ids: string[], now: number): Promise<void> {
    await tx.run(
      `UPDATE syncs SET deleted_at = ?, was_started = (SELECT state = 'started' FROM schedules WHERE schedules.id = syncs.id)
       WHERE id IN (SELECT value FROM json_each(?))`,
      [now, JSON.stringify(ids)],
    );
  }

  /** Resumes syncs. Returns those whose schedules are to start, and those for which that is unknown. */
  async resume(tx: Transaction, filter: SyncFilter): Promise<{ started: string[]; unknown: string[] }> {
    const { sql: where, params } = conditions(filter);
    const rows = await tx.all<{ id: string; wasStarted: number | null }>(
      `SELECT s.id, s.was_started AS wasStarted FROM syncs s WHERE ${where} AND s.deleted_at IS NOT NULL`,
      params,
    );
    await tx.run(
      'UPDATE syncs SET deleted_at = NULL, was_started = NULL WHERE id IN (SELECT value FROM json_each(?))',
      [JSON.stringify(rows.map(({ id }) => id))],
    );
    const idsOf = (value: number | null): string[] =>
      rows.flatMap(({ id, wasStarted }) => (wasStarted === value ? [id] : []));
    return { started: idsOf(1), unknown: idsOf(null) };
  }

  /** Resolves to the number removed. */
  async remove(tx: Transaction, ids: string[]): Promise<number> {
    const { changes } = await tx.run('DELETE FROM syncs WHERE id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(ids),
    ]);
    return changes;
  }

  /** Removes all syncs of these connections, also suspended ones. */
  async removeOfConnections(tx: Transaction, connectionRowIds: number[]): Promise<string[]> {
    const rows = await tx.all<{ id: string }>(
      'DELETE FROM syncs WHERE connection_row_id IN (SELECT value FROM json_each(?)) RETURNING id',
      [JSON.stringify(connectionRowIds)],
    );
    return rows.map((row) => row.id);
  }
}

function conditions(filter: SyncFilter): Conditions {
  // The plus keeps the planner from reading all syncs of the integration to find some of them.
  const isNarrow = filter.connectionRowId !== undefined || filter.rowIds !== undefined;
  const integration = isNarrow ? '+s.integration_id = ?' : 's.integration_id = ?';
  const where = new Conditions(integration, filter.integrationId);
  if (filter.connectionRowId !== undefined) where.add('s.connection_row_id = ?', filter.connectionRowId);
  if (filter.name !== undefined) where.add('s.name = ?', filter.name);
  if (filter.variant !== undefined) where.add('s.variant = ?', filter.variant);
  if (filter.rowIds !== undefined)
    where.add('s.row_id IN (SELECT value FROM json_each(?))', JSON.stringify(filter.rowIds));
  return where;
}

type SyncJobType = 'FULL' | 'INCREMENTAL';
export type SyncJobStatus = 'RUNNING' | 'SUCCESS' | 'STOPPED';

export interface ModelResult {
  added: number;
  updated: number;
  deleted: number;
}

/** A run as the history of its sync shows it. */
export interface PastRunRow {
  syncRowId: number;
  status: SyncJobStatus;
  /** JSON text, by model. */
  result: string;
  logId: string;
  /** As in `SyncJobRow`. */
  error: string | null;
  createdAt: number;
  updatedAt: number;
}

/** One run of a sync. Its id is the generation for deletion detection, because it only increases. */
interface SyncJobRow {
  id: number;
  syncRowId: number;
  type: SyncJobType;
  status: SyncJobStatus;
  result: Record<string, ModelResult>;
  logId: string;
  /** One line; null unless the run failed: a stopped run without an error was cancelled or interrupted. */
  error: string | null;
  createdAt: number;
  updatedAt: number;
}

export type NewSyncJob = Pick<SyncJobRow, 'syncRowId' | 'type' | 'logId' | 'createdAt'>;

/** SQL for the number of failed runs of the sync `s` since its last successful one; cancelled runs do not count. */
export const FAILED_RUNS_IN_A_ROW = `(SELECT COUNT(*) FROM sync_jobs j
  WHERE j.sync_row_id = s.row_id AND j.status = 'STOPPED' AND j.error IS NOT NULL AND j.id > COALESCE(
    (SELECT MAX(g.id) FROM sync_jobs g WHERE g.sync_row_id = s.row_id AND g.status = 'SUCCESS'), 0))`;

export class SyncJobsStore {
  /** The newest `limit` runs of each sync, oldest first. */
  async listRecent(db: ReadHandle, syncRowIds: readonly number[], limit: number): Promise<PastRunRow[]> {
    return db.all(
      `SELECT j.sync_row_id AS syncRowId, j.status, j.result, j.log_id AS logId, j.error,
         j.created_at AS createdAt, j.updated_at AS updatedAt
       FROM json_each(?) AS wanted
       JOIN sync_jobs j ON j.id IN (SELECT id FROM sync_jobs WHERE sync_row_id = wanted.value ORDER BY id DESC LIMIT ?)
       ORDER BY j.id`,
      [JSON.stringify(syncRowIds), limit],
    );
  }

  /** Resolves to their ids, in the same order. */
  async insertMany(tx: Transaction, jobs: readonly NewSyncJob[]): Promise<number[]> {
    const rows = await tx.all<{ id: number; logId: string }>(
      `INSERT INTO sync_jobs (sync_row_id, type, status, result, log_id, created_at, updated_at)
       SELECT value ->> 'syncRowId', value ->> 'type', 'RUNNING', '{}', value ->> 'logId', value ->> 'createdAt', value ->> 'createdAt'
       FROM json_each(?)
       RETURNING id, log_id AS logId`,
      [JSON.stringify(jobs)],
    );
    const ids = new Map(rows.map(({ id, logId }) => [logId, id]));
    return jobs.map(({ logId }) => ids.get(logId) ?? 0);
  }

  /**
   * The first run after the successful one that began at `lastSuccessAt`; the first of all when that is null or its row
   * is gone.
   */
  async findFirstSince(tx: Transaction, syncRowId: number, lastSuccessAt: number | null): Promise<number> {
    const row = await tx.get<{ first: number }>(
      `SELECT COALESCE(MIN(id), 0) AS first FROM sync_jobs WHERE sync_row_id = ? AND id > COALESCE(
         (SELECT MAX(id) FROM sync_jobs WHERE sync_row_id = ? AND created_at = ? AND status = 'SUCCESS'), 0)`,
      [syncRowId, syncRowId, lastSuccessAt],
    );
    return row?.first ?? 0;
  }

  /** Updates the counters of a running run. */
  async updateResult(tx: Transaction, id: number, result: Record<string, ModelResult>, now: number): Promise<void> {
    await tx.run('UPDATE sync_jobs SET result = ?, updated_at = ? WHERE id = ?', [JSON.stringify(result), now, id]);
  }

  async succeed(
    tx: Transaction,
    jobs: ReadonlyArray<{ id: number; result: Record<string, ModelResult> }>,
    now: number,
  ): Promise<void> {
    await tx.run(
      `UPDATE sync_jobs SET status = 'SUCCESS', error = NULL, result = one.value ->> 1, updated_at = ?2
       FROM json_each(?1) AS one WHERE sync_jobs.id = one.value ->> 0 AND status = 'RUNNING'`,
      [JSON.stringify(jobs.map(({ id, result }) => [id, JSON.stringify(result)])), now],
    );
  }

  async stop(tx: Transaction, id: number, error: string | null, now: number): Promise<void> {
    await tx.run(
      "UPDATE sync_jobs SET status = 'STOPPED', error = ?, updated_at = ? WHERE id = ? AND status = 'RUNNING'",
      [error, now, id],
    );
  }

  /** At start: every running row belongs to the last process, which has ended. */
  async stopAllRunning(tx: Transaction, now: number): Promise<number> {
    const { changes } = await tx.run(
      "UPDATE sync_jobs SET status = 'STOPPED', updated_at = ? WHERE status = 'RUNNING'",
      [now],
    );
    return changes;
  }

  /** Ends a run whose end could not be stored. */
  async stopRunningOf(tx: Transaction, syncRowId: number, error: string, now: number): Promise<void> {
    await tx.run(
      "UPDATE sync_jobs SET status = 'STOPPED', error = ?, updated_at = ? WHERE sync_row_id = ? AND status = 'RUNNING'",
      [error, now, syncRowId],
    );
  }

  /** Removes old rows, except the latest of each sync, from which its status is read. */
  async removeOlderThan(tx: Transaction, cutoff: number, limit: number): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM sync_jobs WHERE id IN (
         SELECT id FROM sync_jobs WHERE created_at < ? AND status <> 'RUNNING'
           AND id NOT IN (SELECT latest_job_id FROM syncs WHERE latest_job_id IS NOT NULL)
         ORDER BY id LIMIT ?)`,
      [cutoff, limit],
    );
    return changes;
  }
}
