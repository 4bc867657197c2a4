import type { SourceRecord } from '../record-source.store.ts';

/** Records that are opened and passed to the engine together: as many as have so many bytes, and never more. */
const BATCH = 4000;
const BATCH_BYTES = 1_200_000;
const FIRST_BATCH = 200;

/** Pages until one is not full, each read while the one before it is used. Their size follows that of their records. */
export async function* pagesOf(
  read: (after: SourceRecord | undefined, limit: number) => Promise<SourceRecord[]>,
): AsyncGenerator<SourceRecord[]> {
  let limit = FIRST_BATCH;
  let next: Promise<SourceRecord[]> | undefined = read(undefined, limit);
  while (next) {
    const page: SourceRecord[] = await next;
    if (page.length === 0) return;
    const isLast = page.length < limit;
    const bytes = page.reduce((total, { sealed }) => total + (sealed?.length ?? 0), 1);
    limit = Math.max(1, Math.min(BATCH, Math.round((page.length * BATCH_BYTES) / bytes)));
    next = isLast ? undefined : read(page.at(-1), limit);
    // Awaited in the next turn, or never when the reader has stopped.
    next?.catch(() => {});
    yield page;
  }
}

/** Without records that changed after `until`. */
export async function* upTo(pages: AsyncIterable<SourceRecord[]>, until: number): AsyncGenerator<SourceRecord[]> {
  for await (const page of pages) {
    const before = page.filter(({ updatedAt }) => updatedAt <= until);
    if (before.length > 0) yield before;
    if (before.length < page.length) return;
  }
}
