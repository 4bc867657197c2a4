import type { ReadHandle, Transaction } from '../database/database.ts';
import { addUp, slotOf } from './count-slots.ts';

/** Bytes of log entries of one environment that were created about the same time. */
export interface LogSize {
  environmentId: number;
  /** Milliseconds since the epoch. */
  createdAt: number;
  bytes: number;
}

/** Logs are counted in slots of this length, and go by whole slots (migration 0020). */
export const LOG_SLOT_MS = 600_000;

/** What logs take, about: bytes of their texts, by environment and time. */
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

  /** The moment before which everything has to go, so that the rest fits into `bytes`; undefined when all fits. */
  async findCutoff(db: ReadHandle, environmentId: number, bytes: number): Promise<number | undefined> {
    const row = await db.get<{ slot: number }>(
      `SELECT slot FROM (
         SELECT slot, sum(bytes) OVER (ORDER BY slot DESC) AS total FROM log_sizes WHERE environment_id = ?
       ) WHERE total > ? ORDER BY slot DESC LIMIT 1`,
      [environmentId, bytes],
    );
    return row && row.slot + LOG_SLOT_MS;
  }

  /** Forgets what was removed: everything created before that moment. */
  async removeBefore(tx: Transaction, environmentId: number, before: number): Promise<void> {
    await tx.run('DELETE FROM log_sizes WHERE environment_id = ? AND slot <= ?', [environmentId, before - LOG_SLOT_MS]);
  }
}
