import { addUp, slotOf } from '../platform/database/count-slots.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** Bytes of the log entries of one environment that were created in the same slot. */
export interface LogSize {
  environmentId: number;
  /** Milliseconds since the epoch. */
  createdAt: number;
  bytes: number;
}

/** Log sizes are counted in slots of this length, and logs are removed in whole slots (migration 0020). */
export const LOG_SLOT_MS = 600_000;

/** Approximate size of logs: bytes of their texts, by environment and time. */
export class LogSizesStore {
  async add(tx: Transaction, sizes: readonly LogSize[]): Promise<void> {
    if (sizes.length === 0) return;
    const entries = sizes.map(({ environmentId, createdAt, bytes }) => ({
      parts: [environmentId, slotOf(createdAt, LOG_SLOT_MS)],
      counts: [bytes],
    }));
    await tx.run(
      `INSERT INTO log_sizes (environment_id, slot, bytes)
       SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE TRUE
       ON CONFLICT (environment_id, slot) DO UPDATE SET bytes = bytes + excluded.bytes`,
      [JSON.stringify(addUp(entries))],
    );
  }

  /**
   * The time before which entries must be removed so that the rest fits into `bytes`; undefined when everything fits.
   */
  async findCutoff(db: ReadHandle, environmentId: number, bytes: number): Promise<number | undefined> {
    const row = await db.get<{ slot: number }>(
      `SELECT slot FROM (
         SELECT slot, sum(bytes) OVER (ORDER BY slot DESC) AS total FROM log_sizes WHERE environment_id = ?
       ) WHERE total > ? ORDER BY slot DESC LIMIT 1`,
      [environmentId, bytes],
    );
    return row && row.slot + LOG_SLOT_MS;
  }

  /** Removes the counts of everything created before that time. */
  async removeBefore(tx: Transaction, environmentId: number, before: number): Promise<void> {
    await tx.run('DELETE FROM log_sizes WHERE environment_id = ? AND slot <= ?', [environmentId, before - LOG_SLOT_MS]);
  }
}
