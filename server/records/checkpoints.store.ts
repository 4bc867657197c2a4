import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface CheckpointRow {
  /** JSON text. */
  value: string;
  version: number;
  isDeleted: boolean;
}

/** The owner of checkpoints: a connection and a key. */
export interface CheckpointOwner {
  connectionRowId: number;
  key: string;
}

export class CheckpointsStore {
  async find(db: ReadHandle, connectionRowId: number, key: string): Promise<CheckpointRow | undefined> {
    const row = await db.get<{ value: string; version: number; deleted_at: number | null }>(
      'SELECT value, version, deleted_at FROM checkpoints WHERE connection_row_id = ? AND key = ?',
      [connectionRowId, key],
    );
    return row && { value: row.value, version: row.version, isDeleted: row.deleted_at !== null };
  }

  async upsert(
    tx: Transaction,
    row: { connectionRowId: number; key: string; value: string; version: number; now: number },
  ): Promise<void> {
    await tx.run(
      `INSERT INTO checkpoints (connection_row_id, key, value, version, updated_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (connection_row_id, key) DO UPDATE SET value = excluded.value, version = excluded.version,
         updated_at = excluded.updated_at, deleted_at = NULL`,
      [row.connectionRowId, row.key, row.value, row.version, row.now],
    );
  }

  async setDeleted(tx: Transaction, connectionRowId: number, key: string, version: number, now: number): Promise<void> {
    await tx.run('UPDATE checkpoints SET deleted_at = ?, version = ? WHERE connection_row_id = ? AND key = ?', [
      now,
      version,
      connectionRowId,
      key,
    ]);
  }

  /** Removes the keys themselves and everything stored below them (`<key>:…`). */
  async removeWithPrefixes(tx: Transaction, owners: CheckpointOwner[]): Promise<void> {
    await tx.run(
      `DELETE FROM checkpoints WHERE (connection_row_id, key) IN (
         SELECT c.connection_row_id, c.key FROM json_each(?) AS owner CROSS JOIN checkpoints c
         WHERE c.connection_row_id = owner.value ->> 'connectionRowId' AND (c.key = owner.value ->> 'key'
           OR (c.key > (owner.value ->> 'key') || ':' AND c.key < (owner.value ->> 'key') || ';')))`,
      [JSON.stringify(owners)],
    );
  }

  async removeOfConnections(tx: Transaction, connectionRowIds: number[]): Promise<void> {
    await tx.run('DELETE FROM checkpoints WHERE connection_row_id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(connectionRowIds),
    ]);
  }
}
