import type { Readable, Writable } from '../database/database.ts';

/** A queued or running job. Its row lives as long as the job: what came of it is its kind's own business. */
export interface JobRow {
  id: number;
  kind: string;
  group: string;
  lane: string;
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
}

export interface NewJob {
  kind: string;
  group: string;
  lane: string;
  payload: string;
  scheduleId: string | null;
  maxAttempts: number;
  runAt: number;
  startBefore: number | null;
  createdAt: number;
}

/** When a kind has work again: its oldest queued job, its oldest due schedule. */
export interface KindHead {
  kind: string;
  jobDueAt: number | null;
  scheduleDueAt: number | null;
}

/** A lane of which something waits, and since when it could have begun. */
export interface DueLane {
  lane: string;
  dueAt: number;
}

export interface ClaimFilter {
  kind: string;
  /** This lane only. */
  lane?: string;
  now: number;
  limit: number;
  /** Groups that may start nothing now. */
  fullGroups: string[];
  /** Schedules whose last run has not ended in this process. */
  busySchedules: string[];
}

const COLUMNS = `id, kind, group_key AS "group", lane, payload, schedule_id AS scheduleId, state, attempt,
  max_attempts AS maxAttempts, run_at AS runAt, created_at AS createdAt, started_at AS startedAt`;

/** Spelled as in the partial index, beside a narrower condition too: only then the planner uses it. */
const LIVE = "state IN ('created', 'started')";

export class JobsStore {
  /** Throws a unique violation when the schedule has a live job already. */
  async insert(tx: Writable, job: NewJob): Promise<number> {
    const { lastId } = await tx.run(
      `INSERT INTO jobs (kind, group_key, lane, payload, schedule_id, state, attempt, max_attempts, run_at, start_before, created_at)
       VALUES (?, ?, ?, ?, ?, 'created', 1, ?, ?, ?, ?)`,
      [
        job.kind,
        job.group,
        job.lane,
        job.payload,
        job.scheduleId,
        job.maxAttempts,
        job.runAt,
        job.startBefore,
        job.createdAt,
      ],
    );
    return lastId;
  }

  /** One row per kind, found by index seeks alone: the cost does not grow with the queue. */
  async listHeads(db: Readable, kinds: string[]): Promise<KindHead[]> {
    return db.all(
      `SELECT k.value AS kind,
         (SELECT j.run_at FROM jobs j WHERE j.state = 'created' AND j.kind = k.value ORDER BY j.run_at LIMIT 1) AS jobDueAt,
         (SELECT s.next_execution_at FROM schedules s
          WHERE s.state = 'started' AND s.live_job_id IS NULL AND s.kind = k.value ORDER BY s.next_execution_at LIMIT 1) AS scheduleDueAt
       FROM json_each(?) k`,
      [JSON.stringify(kinds)],
    );
  }

  /** The first moment after now at which a kind has work. */
  async findNextDue(db: Readable, kind: string, now: number): Promise<number | undefined> {
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

  /** Lanes of a kind of which a job is due; one index seek per lane. */
  async listDueLanes(db: Readable, kind: string, now: number): Promise<DueLane[]> {
    return listDueLanes(db, { table: 'jobs', waiting: "state = 'created'", dueAt: 'run_at' }, kind, now);
  }

  async findNextExpiry(db: Readable): Promise<number | undefined> {
    const row = await db.get<{ at: number | null }>(
      "SELECT MIN(start_before) AS at FROM jobs WHERE state = 'created' AND start_before IS NOT NULL",
    );
    return row?.at ?? undefined;
  }

  /** The oldest queued jobs of a kind become `started`. */
  async claim(tx: Writable, filter: ClaimFilter): Promise<JobRow[]> {
    const rows = await tx.all<JobRow>(
      `UPDATE jobs SET state = 'started', started_at = ?1 WHERE id IN (
         SELECT id FROM jobs WHERE state = 'created' AND kind = ?2 ${laneCondition(filter)} AND run_at <= ?1
           AND group_key NOT IN (SELECT value FROM json_each(?3))
           AND (schedule_id IS NULL OR schedule_id NOT IN (SELECT value FROM json_each(?4)))
         ORDER BY run_at, id LIMIT ?5)
       RETURNING ${COLUMNS}`,
      claimValues(filter),
    );
    return rows.sort((a, b) => a.runAt - b.runAt || a.id - b.id);
  }

  /** Queued jobs that were to start before now; the caller tells their kinds and removes them. */
  async listExpired(db: Readable, now: number): Promise<JobRow[]> {
    return db.all(`SELECT ${COLUMNS} FROM jobs WHERE state = 'created' AND start_before <= ? ORDER BY id LIMIT 500`, [
      now,
    ]);
  }

  /** Taken by a caller who does it outside the queue. */
  async take(tx: Writable, id: number, now: number): Promise<void> {
    await tx.run("UPDATE jobs SET state = 'started', started_at = ? WHERE id = ?", [now, id]);
  }

  /** Jobs that some process took and did not end. */
  async listTaken(db: Readable): Promise<JobRow[]> {
    return db.all(`SELECT ${COLUMNS} FROM jobs WHERE state <> 'created' ORDER BY id`);
  }

  async listCancelledIds(db: Readable): Promise<number[]> {
    const rows = await db.all<{ id: number }>("SELECT id FROM jobs WHERE state <> 'created' AND state = 'cancelled'");
    return rows.map((row) => row.id);
  }

  async isScheduleLive(db: Readable, scheduleId: string): Promise<boolean> {
    const row = await db.get(`SELECT 1 FROM jobs WHERE schedule_id = ? AND ${LIVE}`, [scheduleId]);
    return row !== undefined;
  }

  async find(db: Readable, id: number): Promise<JobRow | undefined> {
    return db.get(`SELECT ${COLUMNS} FROM jobs WHERE id = ?`, [id]);
  }

  /** Queued jobs vanish; running ones become `cancelled` and vanish when they end. */
  async cancelOfSchedules(tx: Writable, scheduleIds: string[]): Promise<void> {
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

  async cancel(tx: Writable, id: number): Promise<void> {
    await tx.run("DELETE FROM jobs WHERE state = 'created' AND id = ?", [id]);
    await tx.run("UPDATE jobs SET state = 'cancelled' WHERE state = 'started' AND id = ?", [id]);
  }

  /** Back to the queue, as another attempt or as the same one. */
  async requeue(tx: Writable, id: number, runAt: number, attempt: number): Promise<void> {
    await tx.run(
      "UPDATE jobs SET state = 'created', started_at = NULL, start_before = NULL, run_at = ?, attempt = ? WHERE id = ?",
      [runAt, attempt, id],
    );
  }

  /** Changes members of the payload: what another attempt is to find. */
  async patchPayload(tx: Writable, id: number, members: Record<string, unknown>): Promise<void> {
    await tx.run('UPDATE jobs SET payload = json_patch(payload, ?) WHERE id = ?', [JSON.stringify(members), id]);
  }

  async remove(tx: Writable, id: number): Promise<void> {
    await tx.run('DELETE FROM jobs WHERE id = ?', [id]);
  }
}

/** Bound only where it filters, so that the planner takes the index that fits. */
export function laneCondition({ lane }: ClaimFilter): string {
  return lane === undefined ? '' : 'AND lane = ?6';
}

export function claimValues({
  now,
  kind,
  fullGroups,
  busySchedules,
  limit,
  lane,
}: ClaimFilter): Array<string | number> {
  const values = [now, kind, JSON.stringify(fullGroups), JSON.stringify(busySchedules), limit];
  return lane === undefined ? values : [...values, lane];
}

/** Walks the index from lane to lane: what waits in a lane is not read. */
export async function listDueLanes(
  db: Readable,
  { table, waiting, dueAt }: { table: 'jobs' | 'schedules'; waiting: string; dueAt: string },
  kind: string,
  now: number,
): Promise<DueLane[]> {
  return db.all(
    `WITH RECURSIVE lanes(lane) AS (
       SELECT MIN(lane) FROM ${table} WHERE ${waiting} AND kind = ?1
       UNION ALL
       SELECT (SELECT MIN(t.lane) FROM ${table} t WHERE ${waiting} AND t.kind = ?1 AND t.lane > lanes.lane)
       FROM lanes WHERE lanes.lane IS NOT NULL)
     SELECT lane, dueAt FROM (
       SELECT lanes.lane,
         (SELECT MIN(${dueAt}) FROM ${table} t WHERE ${waiting} AND t.kind = ?1 AND t.lane = lanes.lane) AS dueAt
       FROM lanes WHERE lanes.lane IS NOT NULL)
     WHERE dueAt <= ?2`,
    [kind, now],
  );
}
