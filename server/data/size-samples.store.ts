import { CHART_KEPT_MS, QUARTER_MS, slotOf } from '../platform/database/count-slots.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** Size of the database by quarter of an hour (migration 0045). */
export class SizeSamplesStore {
  /** Stores the size; the last sample of a quarter counts. Removes samples that are too old for every chart. */
  async add(tx: Transaction, { at, bytes }: { at: number; bytes: number }): Promise<void> {
    await tx.run(
      'INSERT INTO size_samples (slot, bytes) VALUES (?, ?) ON CONFLICT (slot) DO UPDATE SET bytes = excluded.bytes',
      [slotOf(at, QUARTER_MS), bytes],
    );
    await tx.run('DELETE FROM size_samples WHERE slot < ?', [at - CHART_KEPT_MS]);
  }

  /** Samples of a period, oldest first, with the last one before it. */
  list(db: ReadHandle, { from, to }: { from: number; to: number }): Promise<Array<{ slot: number; bytes: number }>> {
    return db.all(
      `SELECT slot, bytes FROM size_samples
       WHERE slot >= ifnull((SELECT max(slot) FROM size_samples WHERE slot <= ?), ?) AND slot <= ? ORDER BY slot`,
      [from, from, to],
    );
  }
}
