import type { ReadHandle, Transaction } from '../database/database.ts';

export interface SeenTimeRow {
  /** The latest time that was believed. */
  seenAt: number;
  /** Time awake since the clock went ahead of it. */
  doubtedMs: number;
}

export class SeenTimeStore {
  find(db: ReadHandle): Promise<SeenTimeRow | undefined> {
    return db.get('SELECT seen_at AS seenAt, doubted_ms AS doubtedMs FROM seen_time WHERE id = 1');
  }

  async save(tx: Transaction, { seenAt, doubtedMs }: SeenTimeRow): Promise<void> {
    await tx.run('INSERT OR REPLACE INTO seen_time (id, seen_at, doubted_ms) VALUES (1, ?, ?)', [seenAt, doubtedMs]);
  }
}
