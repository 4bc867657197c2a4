import type { ReadHandle, Transaction } from '../database/database.ts';

/** A queued or running job. Its row lives as long as the job: what came of it is its kind's own business. */
export interface JobRow {
  id: number;
  kind: string;
  group: string;
  partition: string;
  /** JSON text. */
  payload: string;
  scheduleId: string | null;
  /** `cancelled` = told to stop, not yet stopped. */
  state: 'created' | 'started' | 'cancelled';
  attempt: number;
  maxAttempts: number;
  runAt: number;
  createdAt: number;
  startedAt: number | null;
  /** How often the end of the program cut it off. */
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
  /** Null: it waits. Else it runs at once. */
  startedAt: number | null;
}

/** What the queue needs to know before it starts anything. */
export interface QueueState {
  /** When the next job that was not started is given up. */
  nextExpiry: number | null;
  cancelledIds: number[];
  heads: KindHead[];
}

/** When a kind has work again: its oldest queued job, its oldest due schedule. */
export interface KindHead {
  kind: string;
  jobDueAt: number | null;
  scheduleDueAt: number | null;
}

/** A partition of which something waits, and since when it could have begun. */
export interface DuePartition {
  partition: string;
  dueAt: number;
}

export interface GroupClaim {
  kind: string;
  now: number;
  /** Jobs to start at most, in all. */
  limit: number;
  limitPerGroup: number;
  /** Jobs that run, by group. */
  running: ReadonlyMap<string, number>;
  /** Schedules whose last run has not ended in this process. */
  busySchedules: string[];
}

export interface ClaimFilter {
  kind: string;
  /** This partition only. */
  partition?: string;
  now: number;
  limit: number;
  /** Of one group at most, among the first `limit`. */
  mostPerGroup: number;
  /** Groups that may start nothing now. */
  fullGroups: string[];
  /** Schedules whose last run has not ended in this process. */
  busySchedules: string[];
}

const COLUMNS = `id, kind, group_key AS "group", lane AS "partition", payload, schedule_id AS scheduleId, state, attempt,
  max_attempts AS maxAttempts, run_at AS runAt, created_at AS createdAt, started_at AS startedAt, interruptions`;

/** Spelled as in the partial index, beside a narrower condition too: only then the planner uses it. */
const LIVE = "state IN ('created', 'started')";

export class JobsStore {
  /** Throws a unique violation when the schedule has a live job already. */
  async insert(tx: Transaction, job: NewJob): Promise<number> {
    const { lastId } = await tx.run(
      `INSERT INTO jobs (kind, group_key, lane, payload, schedule_id, state, attempt, max_attempts, run_at, start_before, created_at, started_at)
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

  /** One queued job of each schedule. Throws a unique violation when one of them has a live job already. */
  async insertRuns(
    tx: Transaction,
    runs: Array<{ scheduleId: string; group: string; partition: string; payload: string }>,
    { kind, now, startBefore }: { kind: string; now: number; startBefore: number | null },
  ): Promise<Array<Pick<JobRow, 'id' | 'scheduleId'>>> {
    return tx.all(
      `INSERT INTO jobs (kind, group_key, lane, payload, schedule_id, state, attempt, max_attempts, run_at, start_before, created_at)
       SELECT ?1, value ->> 'group', value ->> 'partition', value ->> 'payload', value ->> 'scheduleId', 'created', 1, 1, ?2, ?3, ?2
       FROM json_each(?4)
       RETURNING id, schedule_id AS scheduleId`,
      [kind, now, startBefore, JSON.stringify(runs)],
    );
  }

  /** In one statement, by index seeks alone: the cost does not grow with the queue. */
  async readState(db: ReadHandle, kinds: string[]): Promise<QueueState> {
    const row = await db.get<{ nextExpiry: number | null; cancelledIds: string; heads: string }>(
      `SELECT
         (SELECT MIN(start_before) FROM jobs WHERE state = 'created' AND start_before IS NOT NULL) AS nextExpiry,
         (SELECT json_group_array(id) FROM jobs WHERE state <> 'created' AND state = 'cancelled') AS cancelledIds,
         (SELECT json_group_array(json_object('kind', k.value,
            'jobDueAt', (SELECT j.run_at FROM jobs j WHERE j.state = 'created' AND j.kind = k.value ORDER BY j.run_at LIMIT 1),
            'scheduleDueAt', (SELECT s.next_execution_at FROM schedules s WHERE s.state = 'started' AND s.live_job_id IS NULL
              AND s.kind = k.value ORDER BY s.next_execution_at LIMIT 1)))
          FROM json_each(?) k) AS heads`,
      [JSON.stringify(kinds)],
    );
    return {
      nextExpiry: row?.nextExpiry ?? null,
      cancelledIds: JSON.parse(row?.cancelledIds ?? '[]') as number[],
      heads: JSON.parse(row?.heads ?? '[]') as KindHead[],
    };
  }

  /** The first moment after now at which a kind has work. */
  async findNextDue(db: ReadHandle, kind: string, now: number): Promise<number | undefined> {
    const row = await db.get<{ at: number | null }>(
      `SELECT MIN(at) AS at FROM (
         SELECT MIN(run_at) AS at FROM jobs WHERE state = 'created' AND kind = ?1 AND run_at > ?2
         UNION ALL
         SELECT MIN(next_execution_at) FROM schedules
         WHERE state = 'started' AND live_job_id IS NULL AND kind = ?1 AND next_execution_at > ?2)`,
      [kind, now],
    );
    return row?.at ?? undefined;
  }

  /** Partitions of a kind of which a job is due; one index seek per partition. */
  async listDuePartitions(db: ReadHandle, kind: string, now: number): Promise<DuePartition[]> {
    return listDuePartitions(db, { table: 'jobs', waiting: "state = 'created'", dueAt: 'run_at' }, kind, now);
  }

  /** The oldest queued jobs of a kind become `started`. */
  async claim(tx: Transaction, filter: ClaimFilter): Promise<JobRow[]> {
    const rows = await tx.all<JobRow>(
      `UPDATE jobs SET state = 'started', started_at = ?1 WHERE id IN (
         SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY group_key ORDER BY run_at, id) AS turn FROM (
           SELECT id, group_key, run_at FROM jobs
           WHERE state = 'created' AND kind = ?2 ${partitionCondition(filter)} AND run_at <= ?1
             AND group_key NOT IN (SELECT value FROM json_each(?3))
             AND (schedule_id IS NULL OR schedule_id NOT IN (SELECT value FROM json_each(?4)))
           ORDER BY run_at, id LIMIT ?5))
         WHERE turn <= ?6)
       RETURNING ${COLUMNS}`,
      claimValues(filter),
    );
    return rows.sort((a, b) => a.runAt - b.runAt || a.id - b.id);
  }

  /**
   * As `claim`, with a limit per group: the oldest queued jobs of the groups that are not at their limit. Reads one
   * entry per group and those that start, however many wait behind them.
   */
  async claimByGroup(tx: Transaction, claim: GroupClaim): Promise<JobRow[]> {
    const { kind, now, limit, limitPerGroup, running, busySchedules } = claim;
    const freeOf = (group: string): number => limitPerGroup - (running.get(group) ?? 0);
    const waiting = { table: 'jobs', column: 'group_key', waiting: "state = 'created'", dueAt: 'run_at' } as const;
    const due = (await listDue(tx, waiting, kind, now)).filter(({ name }) => freeOf(name) > 0);
    const groups = due.sort((a, b) => a.dueAt - b.dueAt).slice(0, limit);
    if (groups.length === 0) return [];
    const first = await tx.all<{ id: number; group: string }>(
      `SELECT j.id, j.group_key AS "group" FROM json_each(?3) AS due CROSS JOIN jobs j
       WHERE j.id IN (
         SELECT w.id FROM jobs w WHERE w.state = 'created' AND w.kind = ?2 AND w.group_key = due.value AND w.run_at <= ?1
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

  /** Queued jobs that were to start before now. */
  async listExpired(db: ReadHandle, now: number): Promise<JobRow[]> {
    // Spelled and ordered as the partial index: the planner would walk through all jobs otherwise.
    return db.all(
      `SELECT ${COLUMNS} FROM jobs WHERE state = 'created' AND start_before IS NOT NULL AND start_before <= ?
       ORDER BY start_before LIMIT 1000`,
      [now],
    );
  }

  /** Jobs that some process took and did not end. */
  async listTaken(db: ReadHandle): Promise<JobRow[]> {
    return db.all(`SELECT ${COLUMNS} FROM jobs WHERE state <> 'created' ORDER BY id`);
  }

  /** Schedules of these that have a live job. */
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

  /** Queued jobs vanish; running ones become `cancelled` and vanish when they end. */
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

  /** Back to the queue, as another attempt or as the same one. It has as long to start as it had at first. */
  async requeue(tx: Transaction, id: number, runAt: number, attempt: number): Promise<void> {
    await tx.run(
      `UPDATE jobs SET state = 'created', started_at = NULL, start_before = start_before - run_at + ?1, run_at = ?1,
         attempt = ?2 WHERE id = ?3`,
      [runAt, attempt, id],
    );
  }

  /** Gives everything that waits so much longer to start (milliseconds). */
  async extendStart(tx: Transaction, byMs: number): Promise<void> {
    await tx.run(
      "UPDATE jobs SET start_before = start_before + ? WHERE state = 'created' AND start_before IS NOT NULL",
      [byMs],
    );
  }

  /** Back to the queue after the end of the program cut it off, with as long to start as it had at first. */
  async requeueInterrupted(tx: Transaction, id: number, runAt: number): Promise<void> {
    await tx.run(
      `UPDATE jobs SET state = 'created', started_at = NULL, start_before = start_before - run_at + ?1, run_at = ?1,
         interruptions = interruptions + 1 WHERE id = ?2`,
      [runAt, id],
    );
  }

  /** Changes members of the payload: what another attempt is to find. */
  async patchPayload(tx: Transaction, id: number, members: Record<string, unknown>): Promise<void> {
    await tx.run('UPDATE jobs SET payload = json_patch(payload, ?) WHERE id = ?', [JSON.stringify(members), id]);
  }

  async remove(tx: Transaction, id: number): Promise<void> {
    await tx.run('DELETE FROM jobs WHERE id = ?', [id]);
  }

  /** As `remove`; gives what was removed. */
  async takeOut(tx: Transaction, id: number): Promise<Pick<JobRow, 'scheduleId' | 'startedAt'> | undefined> {
    return tx.get('DELETE FROM jobs WHERE id = ? RETURNING schedule_id AS scheduleId, started_at AS startedAt', [id]);
  }

  /** As `takeOut`, of a running job only that was not told to stop. */
  async takeOutStarted(tx: Transaction, id: number): Promise<Pick<JobRow, 'scheduleId' | 'startedAt'> | undefined> {
    return tx.get(
      "DELETE FROM jobs WHERE id = ? AND state = 'started' RETURNING schedule_id AS scheduleId, started_at AS startedAt",
      [id],
    );
  }
}

/** Bound only where it filters, so that the planner takes the index that fits. */
export function partitionCondition({ partition }: ClaimFilter): string {
  return partition === undefined ? '' : 'AND lane = ?7';
}

export function claimValues({
  now,
  kind,
  fullGroups,
  busySchedules,
  limit,
  mostPerGroup,
  partition,
}: ClaimFilter): Array<string | number> {
  const values = [now, kind, JSON.stringify(fullGroups), JSON.stringify(busySchedules), limit, mostPerGroup];
  return partition === undefined ? values : [...values, partition];
}

/** Walks the index from partition to partition: what waits in a partition is not read. */
export async function listDuePartitions(
  db: ReadHandle,
  from: Pick<DueSource, 'table' | 'waiting' | 'dueAt'>,
  kind: string,
  now: number,
): Promise<DuePartition[]> {
  const due = await listDue(db, { ...from, column: 'lane' }, kind, now);
  return due.map(({ name, dueAt }) => ({ partition: name, dueAt }));
}

interface DueSource {
  table: 'jobs' | 'schedules';
  column: 'lane' | 'group_key';
  /** Condition of what waits, as in the partial index. */
  waiting: string;
  dueAt: string;
}

/** One index seek per value of the column: how much waits behind the first of each costs nothing. */
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
