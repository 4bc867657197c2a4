import type { ReadHandle, Transaction } from '../database/database.ts';
import type { JobRow } from './jobs.store.ts';

/**
 * Why a job ended without its handler: it did not start in time, the end of the program interrupted it, or it failed
 * for good.
 */
export type UnfinishedReason = 'expired' | 'interrupted' | 'failed';

/** A job that ended without its handler; it is stored until its kind has received the report. */
export type JobReportRow = Pick<
  JobRow,
  'id' | 'kind' | 'group' | 'payload' | 'scheduleId' | 'attempt' | 'maxAttempts' | 'createdAt'
> & { reason: UnfinishedReason };

export class JobReportsStore {
  /** Moves jobs from the queue to the reports, in the transaction that ends them. */
  async moveJobs(tx: Transaction, jobIds: number[], reason: UnfinishedReason): Promise<void> {
    const ids = JSON.stringify(jobIds);
    await tx.run(
      `INSERT INTO job_reports (job_id, kind, job_group, payload, schedule_id, attempt, max_attempts, created_at, reason)
       SELECT id, kind, job_group, payload, schedule_id, attempt, max_attempts, created_at, ?2 FROM jobs
       WHERE id IN (SELECT value FROM json_each(?1))`,
      [ids, reason],
    );
    await tx.run('DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?))', [ids]);
  }

  /** Oldest job first, after a given one. */
  async list(db: ReadHandle, afterJobId: number, limit: number): Promise<JobReportRow[]> {
    return db.all(
      `SELECT job_id AS id, kind, job_group AS "group", payload, schedule_id AS scheduleId, attempt,
         max_attempts AS maxAttempts, created_at AS createdAt, reason
       FROM job_reports WHERE job_id > ? ORDER BY job_id LIMIT ?`,
      [afterJobId, limit],
    );
  }

  async remove(tx: Transaction, jobId: number): Promise<void> {
    await tx.run('DELETE FROM job_reports WHERE job_id = ?', [jobId]);
  }
}
