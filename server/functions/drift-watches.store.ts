import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** Which integration is compared once a week, on which connection. Times are in milliseconds since the epoch. */
export interface DriftWatchRow {
  integrationId: number;
  environmentId: number;
  integrationKey: string;
  connectionId: string;
  nextAt: number;
  lastAt: number | null;
  /** JSON of the last result; null before the first comparison. */
  result: string | null;
  /** Why the last comparison was not made, as it was said. */
  problem: string | null;
}

interface SqlRow {
  integration_id: number;
  environment_id: number;
  unique_key: string;
  connection_id: string;
  next_at: number;
  last_at: number | null;
  result: string | null;
  problem: string | null;
}

const SELECT = `SELECT w.integration_id, i.environment_id, i.unique_key, w.connection_id, w.next_at, w.last_at, w.result,
    w.problem
  FROM drift_watches w
  JOIN integrations i ON i.id = w.integration_id AND i.deleted_at IS NULL`;

export class DriftWatchesStore {
  async list(db: ReadHandle): Promise<DriftWatchRow[]> {
    return (await db.all<SqlRow>(`${SELECT} ORDER BY w.next_at, w.integration_id`)).map(toRow);
  }

  async find(db: ReadHandle, integrationId: number): Promise<DriftWatchRow | undefined> {
    const row = await db.get<SqlRow>(`${SELECT} WHERE w.integration_id = ?`, [integrationId]);
    return row && toRow(row);
  }

  /** Another connection begins anew. */
  async upsert(tx: Transaction, watch: { integrationId: number; connectionId: string; nextAt: number }): Promise<void> {
    await tx.run(
      `INSERT INTO drift_watches (integration_id, connection_id, next_at) VALUES (?, ?, ?)
       ON CONFLICT (integration_id) DO UPDATE
       SET connection_id = excluded.connection_id, next_at = excluded.next_at, problem = NULL`,
      [watch.integrationId, watch.connectionId, watch.nextAt],
    );
  }

  async update(
    tx: Transaction,
    {
      integrationId,
      lastAt,
      nextAt,
      problem,
      result,
    }: Omit<DriftWatchRow, 'environmentId' | 'integrationKey' | 'connectionId'>,
  ): Promise<void> {
    await tx.run(
      'UPDATE drift_watches SET next_at = ?, last_at = ?, result = ?, problem = ? WHERE integration_id = ?',
      [nextAt, lastAt, result, problem, integrationId],
    );
  }

  async remove(tx: Transaction, integrationId: number): Promise<void> {
    await tx.run('DELETE FROM drift_watches WHERE integration_id = ?', [integrationId]);
  }
}

function toRow(row: SqlRow): DriftWatchRow {
  return {
    integrationId: row.integration_id,
    environmentId: row.environment_id,
    integrationKey: row.unique_key,
    connectionId: row.connection_id,
    nextAt: row.next_at,
    lastAt: row.last_at,
    result: row.result,
    problem: row.problem,
  };
}
