import type { OperationRow } from '../log/operations.store.ts';
import { addUp, CHART_SLOTS, slotOf, slotOfBars } from '../platform/database/count-slots.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** What is needed to count the records of an operation that has ended. */
export type CountedChanges = Pick<
  OperationRow,
  'environmentId' | 'createdAt' | 'recordsAdded' | 'recordsUpdated' | 'recordsDeleted'
>;

/** Records of one bar of a chart. */
export interface RecordCountRow {
  bucket: number;
  added: number;
  updated: number;
  deleted: number;
}

/** Counts of records that operations added, updated and deleted, kept beside the log (migration 0045). */
export class RecordCountsStore {
  /** Counts ended operations; pass each operation once. Operations of a deleted environment are left out. */
  async add(tx: Transaction, operations: readonly CountedChanges[]): Promise<void> {
    const counted = operations.flatMap((one) => {
      const counts = [one.recordsAdded ?? 0, one.recordsUpdated ?? 0, one.recordsDeleted ?? 0];
      if (counts.every((count) => count === 0)) return [];
      return CHART_SLOTS.map(([slotMs]) => ({
        parts: [one.environmentId, slotMs, slotOf(one.createdAt, slotMs)],
        counts,
      }));
    });
    if (counted.length === 0) return;
    await tx.run(
      `INSERT INTO record_counts (environment_id, slot_ms, slot, added, updated, deleted)
       SELECT entry ->> 0, entry ->> 1, entry ->> 2, entry ->> 3, entry ->> 4, entry ->> 5
       FROM (SELECT value AS entry FROM json_each(?)) JOIN environments ON id = entry ->> 0 WHERE TRUE
       ON CONFLICT (environment_id, slot_ms, slot) DO UPDATE
         SET added = added + excluded.added, updated = updated + excluded.updated, deleted = deleted + excluded.deleted`,
      [JSON.stringify(addUp(counted))],
    );
  }

  /** Records of a period by bucket, added up from slots that divide a bucket. */
  list(
    db: ReadHandle,
    of: { environmentId: number; from: number; to: number },
    bucket: { sizeMs: number; offsetMs: number },
  ): Promise<RecordCountRow[]> {
    const slotMs = slotOfBars(bucket.sizeMs);
    return db.all(
      `SELECT CAST((slot - ?) / ? AS INTEGER) AS bucket, sum(added) AS added, sum(updated) AS updated,
         sum(deleted) AS deleted
       FROM record_counts WHERE environment_id = ? AND slot_ms = ? AND slot >= ? AND slot <= ? GROUP BY 1`,
      [bucket.offsetMs, bucket.sizeMs, of.environmentId, slotMs, slotOf(of.from, slotMs), of.to],
    );
  }

  /** Removes counts that are too old for every chart. */
  async removeOld(tx: Transaction, now: number): Promise<void> {
    for (const [slotMs, keptMs] of CHART_SLOTS)
      await tx.run(
        `DELETE FROM record_counts
         WHERE environment_id IN (SELECT id FROM environments) AND slot_ms = ? AND slot < ?`,
        [slotMs, now - keptMs],
      );
  }
}
