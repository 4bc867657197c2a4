import type { Database } from '../platform/database/database.ts';
import { DiskUseStore } from './disk-use.store.ts';
import { PersonTextsStore } from './person-texts.store.ts';

/** SQLite rewrites a file of this size in about a second, in memory; other writers wait meanwhile. */
const MAX_REWRITTEN_BYTES = 64 * 1_048_576;

/**
 * Removes the bytes of rows that were changed or removed (design.md 7.56). Removed words stay in the full-text index and
 * in the write-ahead log until these are written anew, and copies of rows stay in unused parts of pages, because SQLite
 * moves rows between pages. Resolves to false, unfinished, once `isStopped`.
 */
export async function overwriteRemoved(database: Database, isStopped: () => boolean): Promise<boolean> {
  const store = new PersonTextsStore();
  for (const table of ['log_operations_search', 'log_messages_search'] as const) {
    let isFirst = true;
    for (;;) {
      if (isStopped()) return false;
      const hasMore = await database.transaction((tx) => store.mergeSearch(tx, table, isFirst));
      if (!hasMore && !isFirst) break;
      isFirst = false;
    }
  }
  const disk = new DiskUseStore();
  const { pageBytes, pages } = await disk.pages(database.reader);
  if (pages * pageBytes <= MAX_REWRITTEN_BYTES) await disk.rewrite(database);
  await disk.emptyLog(database);
  return true;
}
