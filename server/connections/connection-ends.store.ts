import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import { UNKNOWN_END } from './connection-status.store.ts';

/** When credentials end that older versions stored; only the sealed credentials tell it. */
export class ConnectionEndsStore {
  /** Row ids of connections whose end nobody has looked at, after a row id. */
  async listUnknown(db: ReadHandle, after: number, limit: number): Promise<number[]> {
    const rows = await db.all<{ id: number }>(
      `SELECT id FROM connections WHERE id > ? AND credentials_end_at = ${UNKNOWN_END} AND deleted_at IS NULL
       ORDER BY id LIMIT ?`,
      [after, limit],
    );
    return rows.map(({ id }) => id);
  }

  async set(tx: Transaction, ends: ReadonlyArray<[id: number, endAt: number | null]>): Promise<void> {
    await tx.run(
      `UPDATE connections SET credentials_end_at = found.value ->> 1
       FROM json_each(?) AS found WHERE connections.id = found.value ->> 0 AND credentials_end_at = ${UNKNOWN_END}`,
      [JSON.stringify(ends)],
    );
  }
}
