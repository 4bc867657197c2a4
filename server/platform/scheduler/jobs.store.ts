import type { ReadHandle, Transaction } from '../database/database.ts';

/** A queued or running job. Its row exists as long as the job; its kind stores the result elsewhere. */
export interface JobRow {
  id: number;
  kind: string;
  group: string;
  partition: string;
  /** JSON text. */
  payload: string;
  scheduleId: string | null;
  /** `cancelled`: the job was told to stop and still runs. */
  state: 'created' | 'started' | 'cancelled';
  attempt: number;
  maxAttempts: number;
  runAt: number;
  createdAt: number;
  startedAt: number | null;
  /** How often the end of the program interrupted the job. */
  interruptions: number;
}

export interface NewJob {
  kind: string;
  group: string;
  partition: string;
  payload: string;
  scheduleId: string | null;
  maxAttempts: number;
  runAt: number;
  startBefore: number | null;
  createdAt: number;
  /** Null for a queued job; else the job runs at once. */
  startedAt: number | null;
}

/** What the queue reads before it starts any job. */
export interface QueueState {
  /** When the next queued job expires. */
  nextExpiry: number | null;
  cancelledIds: number[];
  heads: KindHead[];
}

/** The next work of a kind: its oldest queued job and its oldest due schedule. */
export interface KindHead {
  kind: string;
  jobDueAt: number | null;
  scheduleDueAt: number | null;
  /** The first times after now at which the kind has a queued job, and a schedule. */
  laterJobAt: number | null;
  laterScheduleAt: number | null;
}

/** A partition with waiting work, and since when that could have started. */
export interface DuePartition {
  partition: string;
  dueAt: number;
}

export interface GroupClaim {
  kind: string;
  now: number;
  /** Number of jobs to start at most. */
  limit: number;
  limitPerGroup: number;
  /** Number of running jobs by group. */
  running: ReadonlyMap<string, number>;
  /** Schedules whose last run has not ended in this process. */
  busySchedules: string[];
}

export interface ClaimFilter {
  kind: string;
  /** Only jobs of this partition. */
  partition?: string;
  now: number;
  limit: number;
  /** Most jobs of one group, among the first `limit`. */
  maxPerGroup: number;
  /** Groups that cannot start a job now. */
  fullGroups: string[];
  /** Schedules whose last run has not ended in this process. */
  busySchedules: string[];
}

const COLUMNS = `id, kind, job_group AS "group", job_partition AS "partition", payload, schedule_id AS scheduleId, state, attempt,
  max_attempts AS maxAttempts, run_at AS runAt, created_at AS createdAt, started_at AS startedAt, interruptions`;

/** Spelled as in the partial index, even beside a narrower condition; otherwise the planner does not use the index. */
const LIVE = "state IN ('created', 'started')";

export class JobsStore {
  /** Throws a unique violation when the schedule has a live job already. */
  async insert(tx: Transaction, job: NewJob): Promise<number> {
    const { lastId } = await tx.run(
      `INSERT INTO jobs (kind, job_group, job_partition, payload, schedule_id, state, attempt, max_attempts, run_at, start_before, created_at, started_at)
       VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)`,
      [
        job.kind,
        job.group,
        job.partition,
        job.payload,
        job.scheduleId,
        job.startedAt === null ? 'created' : 'started',
        job.maxAttempts,
        job.runAt,
        job.startBefore,
        job.createdAt,
        job.startedAt,
      ],
    );
    return lastId;
  }

  /** Queued jobs of a kind that wait longer than any of them may are due. */
  async pullBack(tx: Transaction, kind: string, { now, longestMs }: { now: number; longestMs: number }): Promise<void> {
    await tx.run(`UPDATE jobs SET run_at = ? WHERE kind = ? AND state = 'created' AND ${LIVE} AND run_at > ?`, [
      now,
      kind,
      now + longestMs,
    ]);
  }

  /** One queued job of each schedule. Throws a unique violation when one of them has a live job already. */
  async insertRuns(
    tx: Transaction,
    runs: Array<{ scheduleId: string; group: string; partition: string; payload: string }>,
    { kind, now, startBefore }: { kind: string; now: number; startBefore: number | null },
  ): Promise<Array<Pick<JobRow, 'id' | 'scheduleId'>>> {
    return tx.all(
      `INSERT INTO jobs (kind, job_group, job_partition, payload, schedule_id, state, attempt, max_attempts, run_at, start_before, created_at)
       SELECT ?1, value ->> 'group', value ->> 'partition', value ->> 'payload', value ->> 'scheduleId', 'created', 1, 1, ?2, ?3, ?2
       FROM json_each(?4)
       RETURNING id, schedule_id AS scheduleId`,
      [kind, now, startBefore, JSON.stringify(runs)],
    );
  }

  /** One statement with index seeks only: the cost does not grow with the queue. */
  async readState(db: ReadHandle, kinds: string[], now: number): Promise<QueueState> {
    const row = await db.get<{ nextExpiry: number | null; cancelledIds: string; heads: string }>(
      `SELECT
         (SELECT MIN(start_before) FROM jobs WHERE state = 'created' AND start_before IS NOT NULL) AS nextExpiry,
         (SELECT json_group_array(id) FROM jobs WHERE state <> 'created' AND state = 'cancelled') AS cancelledIds,
         (SELECT json_group_array(json_object('kind', k.value,
            'jobDueAt', (SELECT j.run_at FROM jobs j WHERE j.state = 'created' AND j.kind = k.value ORDER BY j.run_at LIMIT 1),
            'scheduleDueAt', (SELECT s.next_execution_at FROM schedules s WHERE s.state = 'started' AND s.live_job_id IS NULL
              AND s.kind = k.value ORDER BY s.next_execution_at LIMIT 1),
            'laterJobAt', (SELECT MIN(j.run_at) FROM jobs j WHERE j.state = 'created' AND j.kind = k.value AND j.run_at > ?2),
            'laterScheduleAt', (SELECT MIN(c.next_execution_at) FROM schedules c WHERE c.state = 'started' AND c.live_job_id IS NULL
              AND c.kind = k.value AND c.next_execution_at > ?2)))
          FROM json_each(?1) k) AS heads`,
      [JSON.stringify(kinds), now],
    );
    return {
      nextExpiry: row?.nextExpiry ?? null,
      cancelledIds: JSON.parse(row?.cancelledIds ?? '[]') as number[],
      heads: JSON.parse(row?.heads ?? '[]') as KindHead[],
    };
  }

  /** Partitions with a due job of a kind; one index seek per partition. */
  async listDuePartitions(db: ReadHandle, kind: string, now: number): Promise<DuePartition[]> {
    return listDuePartitions(db, { table: 'jobs', waiting: "state = 'created'", dueAt: 'run_at' }, kind, now);
  }

  /** Changes the oldest queued jobs of a kind to `started`. */
  async claim(tx: Transaction, filter: ClaimFilter): Promise<JobRow[]> {
    const rows = await tx.all<JobRow>(
      `UPDATE jobs SET state = 'started', started_at = ?1 WHERE id IN (
         SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY job_group ORDER BY run_at, id) AS turn FROM (
           SELECT id, job_group, run_at FROM jobs
           WHERE state = 'created' AND kind = ?2 ${partitionCondition(filter)} AND run_at <= ?1
             AND job_group NOT IN (SELECT value FROM json_each(?3))
             AND (schedule_id IS NULL OR schedule_id NOT IN (SELECT value FROM json_each(?4)))
           ORDER BY run_at, id LIMIT ?5))
         WHERE turn <= ?6)
       RETURNING ${COLUMNS}`,
      claimValues(filter),
    );
    return rows.sort((a, b) => a.runAt - b.runAt || a.id - b.id);
  }

  /**
   * As `claim`, with a limit per group: takes the oldest queued jobs of the groups below their limit. Reads one entry
   * per group and the jobs that start, independent of the length of the queue.
   */
  async claimByGroup(tx: Transaction, claim: GroupClaim): Promise<JobRow[]> {
    const { kind, now, limit, limitPerGroup, running, busySchedules } = claim;
    const freeOf = (group: string): number => limitPerGroup - (running.get(group) ?? 0);
    const waiting = { table: 'jobs', column: 'job_group', waiting: "state = 'created'", dueAt: 'run_at' } as const;
    const due = (await listDue(tx, waiting, kind, now)).filter(({ name }) => freeOf(name) > 0);
    const groups = due.sort((a, b) => a.dueAt - b.dueAt).slice(0, limit);
    if (groups.length === 0) return [];
    const first = await tx.all<{ id: number; group: string }>(
      `SELECT j.id, j.job_group AS "group" FROM json_each(?3) AS due CROSS JOIN jobs j
       WHERE j.id IN (
         SELECT w.id FROM jobs w WHERE w.state = 'created' AND w.kind = ?2 AND w.job_group = due.value AND w.run_at <= ?1
           AND (w.schedule_id IS NULL OR w.schedule_id NOT IN (SELECT value FROM json_each(?4)))
         ORDER BY w.run_at, w.id LIMIT ?5)
       ORDER BY j.run_at, j.id`,
      [
        now,
        kind,
        JSON.stringify(groups.map(({ name }) => name)),
        JSON.stringify(busySchedules),
        Math.min(limit, limitPerGroup),
      ],
    );
    const taken = new Map<string, number>();
    const chosen = first.filter(({ group }) => {
      const count = (taken.get(group) ?? 0) + 1;
      taken.set(group, count);
      return count <= freeOf(group);
    });
    const rows = await tx.all<JobRow>(
      `UPDATE jobs SET state = 'started', started_at = ?1 WHERE id IN (SELECT value FROM json_each(?2)) RETURNING ${COLUMNS}`,
      [now, JSON.stringify(chosen.slice(0, limit).map(({ id }) => id))],
    );
    return rows.sort((a, b) => a.runAt - b.runAt || a.id - b.id);
  }

  /** Queued jobs whose time to start has passed. */
  async listExpired(db: ReadHandle, now: number): Promise<JobRow[]> {
    // Spelled and sorted as the partial index; otherwise the planner reads all jobs.
    return db.all(
      `SELECT ${COLUMNS} FROM jobs WHERE state = 'created' AND start_before IS NOT NULL AND start_before <= ?
       ORDER BY start_before LIMIT 1000`,
      [now],
    );
  }

  /** Jobs that a process started and did not end. */
  async listTaken(db: ReadHandle): Promise<JobRow[]> {
    return db.all(`SELECT ${COLUMNS} FROM jobs WHERE state <> 'created' ORDER BY id`);
  }

  /** The given schedules that have a live job. */
  async listLiveSchedules(db: ReadHandle, scheduleIds: string[]): Promise<string[]> {
    const rows = await db.all<{ id: string }>(
      `SELECT schedule_id AS id FROM jobs WHERE ${LIVE} AND schedule_id IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(scheduleIds)],
    );
    return rows.map(({ id }) => id);
  }

  async find(db: ReadHandle, id: number): Promise<JobRow | undefined> {
    return db.get(`SELECT ${COLUMNS} FROM jobs WHERE id = ?`, [id]);
  }

  /** Removes queued jobs; running ones become `cancelled` and are removed when they end. */
  async cancelOfSchedules(tx: Transaction, scheduleIds: string[]): Promise<void> {
    const ids = JSON.stringify(scheduleIds);
    await tx.run(
      `DELETE FROM jobs WHERE ${LIVE} AND state = 'created' AND schedule_id IN (SELECT value FROM json_each(?))`,
      [ids],
    );
    await tx.run(
      `UPDATE jobs SET state = 'cancelled' WHERE ${LIVE} AND state = 'started' AND schedule_id IN (SELECT value FROM json_each(?))`,
      [ids],
    );
  }

  async cancel(tx: Transaction, id: number): Promise<void> {
    await tx.run("DELETE FROM jobs WHERE state = 'created' AND id = ?", [id]);
    await tx.run("UPDATE jobs SET state = 'cancelled' WHERE state = 'started' AND id = ?", [id]);
  }

  /** Queues the job again, as another attempt or the same one. It gets its full time to start again. */
  async requeue(tx: Transaction, id: number, runAt: number, attempt: number): Promise<void> {
    await tx.run(
      `UPDATE jobs SET state = 'created', started_at = NULL, start_before = start_before - run_at + ?1, run_at = ?1,
         attempt = ?2 WHERE id = ?3`,
      [runAt, attempt, id],
    );
  }

  /** Gives every queued job this much more time to start, in milliseconds. */
  async extendStart(tx: Transaction, byMs: number): Promise<void> {
    await tx.run(
      "UPDATE jobs SET start_before = start_before + ? WHERE state = 'created' AND start_before IS NOT NULL",
      [byMs],
    );
  }

  /** Queues a job again that the end of the program interrupted; it gets its full time to start again. */
  async requeueInterrupted(tx: Transaction, id: number, runAt: number): Promise<void> {
    await tx.run(
      `UPDATE jobs SET state = 'created', started_at = NULL, start_before = start_before - run_at + ?1, run_at = ?1,
         interruptions = interruptions + 1 WHERE id = ?2`,
      [runAt, id],
    );
  }

  /** Changes members of the payload, for the next attempt. */
  async patchPayload(tx: Transaction, id: number, members: Record<string, unknown>): Promise<void> {
    await tx.run('UPDATE jobs SET payload = json_patch(payload, ?) WHERE id = ?', [JSON.stringify(members), id]);
  }

  async remove(tx: Transaction, id: number): Promise<void> {
    await tx.run('DELETE FROM jobs WHERE id = ?', [id]);
  }

  /** As `remove`; returns what was removed. */
  async takeOut(tx: Transaction, id: number): Promise<Pick<JobRow, 'scheduleId' | 'startedAt'> | undefined> {
    return tx.get('DELETE FROM jobs WHERE id = ? RETURNING schedule_id AS scheduleId, started_at AS startedAt', [id]);
  }

  /** As `takeOut`, of several jobs and only of running ones that were not cancelled. */
  async takeOutStarted(
    tx: Transaction,
    ids: readonly number[],
  ): Promise<Array<Pick<JobRow, 'id' | 'scheduleId' | 'startedAt'>>> {
    return tx.all(
      `DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?)) AND state = 'started'
       RETURNING id, schedule_id AS scheduleId, started_at AS startedAt`,
      [JSON.stringify(ids)],
    );
  }
}

/** Added only where it filters, so that the planner uses the fitting index. */
export function partitionCondition({ partition }: ClaimFilter): string {
  return partition === undefined ? '' : 'AND job_partition = ?7';
}

export function claimValues({
  now,
  kind,
  fullGroups,
  busySchedules,
  limit,
  maxPerGroup,
  partition,
}: ClaimFilter): Array<string | number> {
  const values = [now, kind, JSON.stringify(fullGroups), JSON.stringify(busySchedules), limit, maxPerGroup];
  return partition === undefined ? values : [...values, partition];
}

/** Steps through the index from partition to partition, without reading the jobs within a partition. */
export async function listDuePartitions(
  db: ReadHandle,
  from: Pick<DueSource, 'table' | 'waiting' | 'dueAt'>,
  kind: string,
  now: number,
): Promise<DuePartition[]> {
  const due = await listDue(db, { ...from, column: 'job_partition' }, kind, now);
  return due.map(({ name, dueAt }) => ({ partition: name, dueAt }));
}

interface DueSource {
  table: 'jobs' | 'schedules';
  column: 'job_partition' | 'job_group';
  /** Condition for waiting work, spelled as in the partial index. */
  waiting: string;
  dueAt: string;
}

/** One index seek per value of the column, independent of the number of rows behind the first one. */
function listDue(
  db: ReadHandle,
  { table, column, waiting, dueAt }: DueSource,
  kind: string,
  now: number,
): Promise<Array<{ name: string; dueAt: number }>> {
  return db.all(
    `WITH RECURSIVE names(name) AS (
       SELECT MIN(${column}) FROM ${table} WHERE ${waiting} AND kind = ?1
       UNION ALL
       SELECT (SELECT MIN(t.${column}) FROM ${table} t WHERE ${waiting} AND t.kind = ?1 AND t.${column} > names.name)
       FROM names WHERE names.name IS NOT NULL)
     SELECT name, dueAt FROM (
       SELECT names.name,
         (SELECT MIN(${dueAt}) FROM ${table} t WHERE ${waiting} AND t.kind = ?1 AND t.${column} = names.name) AS dueAt
       FROM names WHERE names.name IS NOT NULL)
     WHERE dueAt <= ?2`,
    [kind, now],
  );
}
