import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export type SyncJobType = 'FULL' | 'INCREMENTAL';
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
export interface SyncJobRow {
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

  async insert(tx: Transaction, job: Pick<SyncJobRow, 'syncRowId' | 'type' | 'logId' | 'createdAt'>): Promise<number> {
    const { lastId } = await tx.run(
      `INSERT INTO sync_jobs (sync_row_id, type, status, result, log_id, created_at, updated_at)
       VALUES (?, ?, 'RUNNING', '{}', ?, ?, ?)`,
      [job.syncRowId, job.type, job.logId, job.createdAt, job.createdAt],
    );
    return lastId;
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

  async succeed(tx: Transaction, id: number, result: Record<string, ModelResult>, now: number): Promise<void> {
    await tx.run(
      "UPDATE sync_jobs SET status = 'SUCCESS', error = NULL, result = ?, updated_at = ? WHERE id = ? AND status = 'RUNNING'",
      [JSON.stringify(result), now, id],
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
