import type { ReadHandle, Transaction } from '../database/database.ts';
import {
  type ClaimFilter,
  claimValues,
  type DuePartition,
  type JobRow,
  listDuePartitions,
  partitionCondition,
} from './jobs.store.ts';

export interface ScheduleRow {
  /** Given by the owner. */
  id: string;
  state: 'started' | 'paused';
  startsAt: number;
  frequencyMs: number;
  nextExecutionAt: number;
  liveJobId: number | null;
}

export interface NewSchedule {
  id: string;
  kind: string;
  group: string;
  partition: string;
  /** JSON text; becomes the payload of each job. */
  payload: string;
  state: 'started' | 'paused';
  startsAt: number;
  frequencyMs: number;
}

/**
 * The first slot of the grid `starts_at + k * frequency_ms` at or after the bound time. The driver binds numbers beyond
 * 32 bits as floats, and the division must be an integer division.
 */
const slotAt = (moment: string, frequencyMs: string): string =>
  `starts_at + ((CAST(${moment} AS INTEGER) - starts_at + ${frequencyMs} - 1) / ${frequencyMs}) * ${frequencyMs}`;

export class SchedulesStore {
  /** The first run is at `startsAt`. */
  async insertMany(tx: Transaction, schedules: NewSchedule[]): Promise<void> {
    await tx.run(
      `INSERT INTO schedules (id, kind, job_group, job_partition, payload, state, starts_at, frequency_ms, next_execution_at)
       SELECT value ->> 'id', value ->> 'kind', value ->> 'group', value ->> 'partition', value ->> 'payload',
         value ->> 'state', value ->> 'startsAt', value ->> 'frequencyMs', value ->> 'startsAt'
       FROM json_each(?)`,
      [JSON.stringify(schedules)],
    );
  }

  async find(db: ReadHandle, id: string): Promise<ScheduleRow | undefined> {
    return db.get(
      `SELECT id, state, starts_at AS startsAt, frequency_ms AS frequencyMs, next_execution_at AS nextExecutionAt,
         live_job_id AS liveJobId
       FROM schedules WHERE id = ?`,
      [id],
    );
  }

  /** Creates one job for each due schedule, oldest slot first. */
  async claimDue(tx: Transaction, filter: ClaimFilter): Promise<JobRow[]> {
    const jobs = await tx.all<JobRow>(
      `INSERT INTO jobs (kind, job_group, job_partition, payload, schedule_id, state, attempt, max_attempts, run_at, created_at, started_at)
       SELECT kind, job_group, job_partition, payload, id, 'started', 1, 1, next_execution_at, ?1, ?1
       FROM (SELECT kind, job_group, job_partition, payload, id, next_execution_at,
         ROW_NUMBER() OVER (PARTITION BY job_group ORDER BY next_execution_at) AS turn FROM (
         SELECT kind, job_group, job_partition, payload, id, next_execution_at FROM schedules
         WHERE state = 'started' AND live_job_id IS NULL AND kind = ?2 ${partitionCondition(filter)} AND next_execution_at <= ?1
           AND job_group NOT IN (SELECT value FROM json_each(?3))
           AND id NOT IN (SELECT value FROM json_each(?4))
         ORDER BY next_execution_at LIMIT ?5))
       WHERE turn <= ?6 ORDER BY next_execution_at
       RETURNING id, kind, job_group AS "group", job_partition AS "partition", payload, schedule_id AS scheduleId, state, attempt,
         max_attempts AS maxAttempts, run_at AS runAt, created_at AS createdAt, started_at AS startedAt, interruptions`,
      claimValues(filter),
    );
    if (jobs.length > 0) await this.setLiveJobs(tx, jobs);
    return jobs;
  }

  /** Partitions with a due schedule of a kind; one index seek per partition. */
  async listDuePartitions(db: ReadHandle, kind: string, now: number): Promise<DuePartition[]> {
    const waiting = "state = 'started' AND live_job_id IS NULL";
    return listDuePartitions(db, { table: 'schedules', waiting, dueAt: 'next_execution_at' }, kind, now);
  }

  /** Stores each job as the live job of its schedule. */
  async setLiveJobs(tx: Transaction, jobs: Array<Pick<JobRow, 'id' | 'scheduleId'>>): Promise<void> {
    await tx.run(
      `UPDATE schedules SET live_job_id = claimed.value ->> 1
       FROM json_each(?) AS claimed WHERE schedules.id = claimed.value ->> 0`,
      [JSON.stringify(jobs.map((job) => [job.scheduleId, job.id]))],
    );
  }

  /**
   * Ends runs. The next slot is at or after now, and after the start of the run, so that a run shorter than a
   * millisecond does not take its own slot twice. Does nothing for a run that a later one has replaced.
   */
  async release(
    tx: Transaction,
    jobs: ReadonlyArray<Pick<JobRow, 'id' | 'scheduleId' | 'startedAt'>>,
    now: number,
  ): Promise<void> {
    const ended = jobs.flatMap(({ id, scheduleId, startedAt }) =>
      // A run that a wrong clock started "later" must not move the slot there.
      scheduleId === null ? [] : [[scheduleId, id, (startedAt ?? now) < now ? now : now + 1]],
    );
    if (ended.length === 0) return;
    await tx.run(
      `UPDATE schedules SET live_job_id = NULL, next_execution_at = ${slotAt('ended.value ->> 2', 'frequency_ms')}
       FROM json_each(?) AS ended WHERE schedules.id = ended.value ->> 0 AND live_job_id = ended.value ->> 1`,
      [JSON.stringify(ended)],
    );
  }

  /** A slot is at most one frequency ahead, and no schedule begins later; a wrong clock has written other times. */
  async pullBack(tx: Transaction, now: number): Promise<void> {
    await tx.run(
      `UPDATE schedules SET starts_at = MIN(starts_at, ?1),
         next_execution_at = IIF(next_execution_at > ?1 + frequency_ms, ?1, next_execution_at)
       WHERE next_execution_at > ?1 + frequency_ms OR starts_at > ?1`,
      [now],
    );
  }

  /**
   * Call it before queued jobs of these schedules are removed; their slots stay. A running job stays the live one until
   * it ends.
   */
  async clearQueuedJobs(tx: Transaction, ids: string[]): Promise<void> {
    const list = JSON.stringify(ids);
    await tx.run(
      `UPDATE schedules SET live_job_id = NULL WHERE id IN (SELECT value FROM json_each(?))
         AND live_job_id IN (SELECT id FROM jobs WHERE schedule_id = schedules.id AND state IN ('created', 'started') AND state = 'created')`,
      [list],
    );
  }

  /** Resolves to the ids of the schedules whose state changed. */
  async setState(tx: Transaction, ids: string[], state: 'started' | 'paused'): Promise<string[]> {
    const changed = await tx.all<{ id: string }>(
      'UPDATE schedules SET state = ?1 WHERE id IN (SELECT value FROM json_each(?2)) AND state <> ?1 RETURNING id',
      [state, JSON.stringify(ids)],
    );
    return changed.map(({ id }) => id);
  }

  /**
   * Moves the next slot to the first one after now on the grid from the same origin. A slot that is already due stays
   * due, so that a schedule that never ran still runs at once.
   */
  async setFrequency(tx: Transaction, ids: string[], frequencyMs: number, now: number): Promise<void> {
    const list = JSON.stringify(ids);
    await tx.run(
      'UPDATE schedules SET frequency_ms = ? WHERE id IN (SELECT value FROM json_each(?)) AND frequency_ms <> ? AND next_execution_at <= ?',
      [frequencyMs, list, frequencyMs, now],
    );
    await tx.run(
      `UPDATE schedules SET frequency_ms = ?1, next_execution_at = ${slotAt('?2', 'CAST(?1 AS INTEGER)')}
       WHERE id IN (SELECT value FROM json_each(?3)) AND frequency_ms <> ?1 AND next_execution_at >= ?2`,
      [frequencyMs, now + 1, list],
    );
  }

  async remove(tx: Transaction, ids: string[]): Promise<void> {
    await tx.run('DELETE FROM schedules WHERE id IN (SELECT value FROM json_each(?))', [JSON.stringify(ids)]);
  }
}
