import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface PlaygroundRunRow {
  id: string;
  environmentId: number;
  /** Row id of the connection. */
  connectionId: number;
  /** Sealed JSON. */
  run: string;
  /** Milliseconds since the epoch. */
  endedAt: number;
}

/** Ended runs of the playground. */
export class PlaygroundRunsStore {
  /** Oldest first. */
  list(db: ReadHandle, environmentId: number): Promise<PlaygroundRunRow[]> {
    return db.all<PlaygroundRunRow>(
      `SELECT id, environment_id AS environmentId, connection_id AS connectionId, run, ended_at AS endedAt
       FROM playground_runs WHERE environment_id = ? ORDER BY seq`,
      [environmentId],
    );
  }

  async listIds(db: ReadHandle, environmentId: number): Promise<string[]> {
    const rows = await db.all<{ id: string }>('SELECT id FROM playground_runs WHERE environment_id = ?', [
      environmentId,
    ]);
    return rows.map(({ id }) => id);
  }

  /** Keeps the newest `most` runs of the environment. A connection that was deleted meanwhile keeps none. */
  async insert(tx: Transaction, row: PlaygroundRunRow, most: number): Promise<void> {
    await tx.run(
      `INSERT INTO playground_runs (id, environment_id, connection_id, run, ended_at)
       SELECT ?, ?, id, ?, ? FROM connections WHERE id = ? AND deleted_at IS NULL`,
      [row.id, row.environmentId, row.run, row.endedAt, row.connectionId],
    );
    await tx.run(
      `DELETE FROM playground_runs WHERE environment_id = ? AND seq NOT IN (
         SELECT seq FROM playground_runs WHERE environment_id = ? ORDER BY seq DESC LIMIT ?)`,
      [row.environmentId, row.environmentId, most],
    );
  }

  async removeAll(tx: Transaction, environmentId: number): Promise<void> {
    await tx.run('DELETE FROM playground_runs WHERE environment_id = ?', [environmentId]);
  }
}
