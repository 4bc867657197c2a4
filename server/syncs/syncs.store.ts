import { Conditions } from '../platform/database/conditions.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import type { SyncJobStatus, SyncJobType } from './sync-jobs.store.ts';

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

  async setLastSyncDate(tx: Transaction, id: string, at: number): Promise<void> {
    await tx.run('UPDATE syncs SET last_sync_date = ? WHERE id = ?', [at, id]);
  }

  async forgetLastSyncDates(tx: Transaction, ids: string[]): Promise<void> {
    await tx.run('UPDATE syncs SET last_sync_date = NULL WHERE id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(ids),
    ]);
  }

  async setLatestJob(tx: Transaction, id: string, jobId: number): Promise<void> {
    await tx.run('UPDATE syncs SET latest_job_id = ? WHERE id = ?', [jobId, id]);
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
  // The plus keeps the planner from reading all syncs of the integration to find those of one connection.
  const integration = filter.connectionRowId === undefined ? 's.integration_id = ?' : '+s.integration_id = ?';
  const where = new Conditions(integration, filter.integrationId);
  if (filter.connectionRowId !== undefined) where.add('s.connection_row_id = ?', filter.connectionRowId);
  if (filter.name !== undefined) where.add('s.name = ?', filter.name);
  if (filter.variant !== undefined) where.add('s.variant = ?', filter.variant);
  return where;
}
