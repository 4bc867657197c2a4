import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** A row of limits, with what was used. */
export interface LimitRow {
  environmentId: number;
  kind: 'sessions' | 'key' | 'program' | 'session' | 'run';
  subject: string;
  /** JSON of the limits that differ from the defaults; null for none. */
  limits: string | null;
  calls: number;
  writes: number;
  cost: number;
}

type RowKey = Pick<LimitRow, 'kind' | 'subject'>;

const COLUMNS = 'environment_id AS environmentId, kind, subject, limits, calls, writes, cost';

/** Limits of calls, and what was used of them. */
export class LimitsStore {
  /** Rows with limits of their own, except those of sessions and runs, which are many. */
  async listLasting(db: ReadHandle): Promise<LimitRow[]> {
    return db.all(`SELECT ${COLUMNS} FROM call_limits WHERE kind IN ('sessions', 'key', 'program')`);
  }

  async list(db: ReadHandle, environmentId: number): Promise<LimitRow[]> {
    return db.all(`SELECT ${COLUMNS} FROM call_limits WHERE environment_id = ? ORDER BY kind, subject`, [
      environmentId,
    ]);
  }

  async listOf(db: ReadHandle, environmentId: number, keys: readonly RowKey[]): Promise<LimitRow[]> {
    return db.all(
      `SELECT ${COLUMNS} FROM call_limits JOIN json_each(?2) AS wanted
         ON kind = wanted.value ->> 'kind' AND subject = wanted.value ->> 'subject'
       WHERE environment_id = ?1`,
      [environmentId, JSON.stringify(keys)],
    );
  }

  /** Adds to what was used, and resolves to the rows. A session that is gone gets none: nothing would remove it. */
  async add(
    tx: Transaction,
    environmentId: number,
    keys: readonly RowKey[],
    { calls, writes, cost }: Pick<LimitRow, 'calls' | 'writes' | 'cost'>,
  ): Promise<LimitRow[]> {
    return tx.all(
      `INSERT INTO call_limits (environment_id, kind, subject, calls, writes, cost)
       SELECT ?1, k.value ->> 'kind', k.value ->> 'subject', ?3, ?4, ?5 FROM json_each(?2) AS k
       WHERE EXISTS (SELECT 1 FROM environments WHERE id = ?1) AND (k.value ->> 'kind' <> 'session'
         OR EXISTS (SELECT 1 FROM agent_sessions WHERE id = k.value ->> 'subject'))
       ON CONFLICT (environment_id, kind, subject) DO UPDATE SET calls = calls + excluded.calls,
         writes = writes + excluded.writes, cost = cost + excluded.cost
       RETURNING ${COLUMNS}`,
      [environmentId, JSON.stringify(keys), calls, writes, cost],
    );
  }

  async upsertLimits(
    tx: Transaction,
    row: Pick<LimitRow, 'environmentId' | 'kind' | 'subject' | 'limits'>,
  ): Promise<void> {
    await tx.run(
      `INSERT INTO call_limits (environment_id, kind, subject, limits) VALUES (?, ?, ?, ?)
       ON CONFLICT (environment_id, kind, subject) DO UPDATE SET limits = excluded.limits`,
      [row.environmentId, row.kind, row.subject, row.limits],
    );
  }

  /** Runs of which a process that was killed left the rows. */
  async removeRuns(tx: Transaction): Promise<void> {
    await tx.run("DELETE FROM call_limits WHERE kind = 'run'");
  }
}
