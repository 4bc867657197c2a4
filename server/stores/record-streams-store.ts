import type { Readable, Writable } from '../database/database.ts';

/** The records of one model and variant of one connection. A retired stream is invisible and waits for its purge. */
export interface StreamRow {
  id: number;
  connectionRowId: number;
  model: string;
  variant: string;
  liveCount: number;
  /** Every row up to this moment (microseconds) is pruned. */
  prunedUntil: number;
}

const COLUMNS =
  'id, connection_row_id AS connectionRowId, model, variant, live_count AS liveCount, pruned_until AS prunedUntil';

export class RecordStreamsStore {
  async find(db: Readable, connectionRowId: number, model: string, variant: string): Promise<StreamRow | undefined> {
    return db.get(
      `SELECT ${COLUMNS} FROM record_streams WHERE connection_row_id = ? AND model = ? AND variant = ? AND retired = 0`,
      [connectionRowId, model, variant],
    );
  }

  async insert(tx: Writable, connectionRowId: number, model: string, variant: string): Promise<number> {
    const { lastId } = await tx.run('INSERT INTO record_streams (connection_row_id, model, variant) VALUES (?, ?, ?)', [
      connectionRowId,
      model,
      variant,
    ]);
    return lastId;
  }

  /** The streams of these connections, base variant and others. */
  async list(db: Readable, connectionRowIds: number[]): Promise<StreamRow[]> {
    return db.all(
      `SELECT ${COLUMNS} FROM record_streams
       WHERE connection_row_id IN (SELECT value FROM json_each(?)) AND retired = 0 ORDER BY connection_row_id, model, variant`,
      [JSON.stringify(connectionRowIds)],
    );
  }

  async addToCount(tx: Writable, id: number, difference: number): Promise<void> {
    await tx.run('UPDATE record_streams SET live_count = live_count + ? WHERE id = ?', [difference, id]);
  }

  async setPrunedUntil(tx: Writable, id: number, stamp: number): Promise<void> {
    await tx.run('UPDATE record_streams SET pruned_until = ? WHERE id = ?', [stamp, id]);
  }

  async retire(tx: Writable, ids: number[]): Promise<void> {
    await tx.run('UPDATE record_streams SET retired = 1 WHERE id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(ids),
    ]);
  }

  async findRetired(db: Readable): Promise<number | undefined> {
    const row = await db.get<{ id: number }>('SELECT id FROM record_streams WHERE retired = 1 LIMIT 1');
    return row?.id;
  }

  async remove(tx: Writable, id: number): Promise<void> {
    await tx.run('DELETE FROM record_streams WHERE id = ?', [id]);
  }
}
