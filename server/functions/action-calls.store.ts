import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface ActionCallRow {
  id: string;
  environmentId: number;
  /** Sealed JSON. */
  request: string;
  /** Sealed JSON; null until the last attempt ended. */
  response: string | null;
}

export class ActionCallsStore {
  async find(db: ReadHandle, id: string): Promise<ActionCallRow | undefined> {
    return db.get('SELECT id, environment_id AS environmentId, request, response FROM action_calls WHERE id = ?', [id]);
  }

  async insert(
    tx: Transaction,
    row: Pick<ActionCallRow, 'id' | 'environmentId' | 'request'> & { now: number },
  ): Promise<void> {
    await tx.run('INSERT INTO action_calls (id, environment_id, request, created_at) VALUES (?, ?, ?, ?)', [
      row.id,
      row.environmentId,
      row.request,
      row.now,
    ]);
  }

  /** Stores the response unless there is one already; resolves to whether this one was stored. */
  async setResponse(tx: Transaction, id: string, response: string): Promise<boolean> {
    const { changes } = await tx.run('UPDATE action_calls SET response = ? WHERE id = ? AND response IS NULL', [
      response,
      id,
    ]);
    return changes > 0;
  }

  /** Removes up to `limit` calls; resolves to the number removed. */
  async removeOlderThan(tx: Transaction, before: number, limit: number): Promise<number> {
    const { changes } = await tx.run(
      'DELETE FROM action_calls WHERE id IN (SELECT id FROM action_calls WHERE created_at < ? LIMIT ?)',
      [before, limit],
    );
    return changes;
  }
}
