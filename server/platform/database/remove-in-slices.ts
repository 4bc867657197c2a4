import type { Database, Transaction } from './database.ts';

interface SliceOptions {
  database: Pick<Database, 'transaction'>;
  /** Rows per transaction: other writers wait for one slice only. */
  sliceSize: number;
  /** Ends the removal before the next slice. Default: it runs to its end. */
  isStopped?: () => boolean;
}

/**
 * Removes rows in as many transactions as needed. `remove` removes at most `sliceSize` rows and resolves to their
 * number; a smaller number ends the removal. Resolves to the number of all removed rows.
 */
export async function removeInSlices(
  { database, sliceSize, isStopped = () => false }: SliceOptions,
  remove: (tx: Transaction) => Promise<number>,
): Promise<number> {
  let removed = 0;
  while (!isStopped()) {
    const count = await database.transaction(remove);
    removed += count;
    if (count < sliceSize) break;
  }
  return removed;
}
