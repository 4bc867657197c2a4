import { LRUCache } from 'lru-cache';
import type { RecordFilter, RecordStream } from './record-index.dashboard.ts';
import { type RecordViewMetadata, splitRecord } from './record-view.dashboard.ts';
import type { RecordHistory } from './records.service.ts';

interface PastRequest extends RecordFilter {
  by: 'modified' | 'id' | 'action';
  direction: 'asc' | 'desc';
}

interface IndexedRecord {
  id: string;
  metadata: RecordViewMetadata;
}

const BY_ID = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

interface PastList {
  /** In the order of their changes. */
  records: IndexedRecord[];
  lost: number;
}

/** Records read at a time. */
const SLICE = 1000;
/** Largest number of records in all cached lists together; each takes some hundred bytes. */
const MAX_REMEMBERED = 300_000;

export type PastRecords = ReturnType<typeof createPastRecords>;

/** Lists the records of a table at a past time. The past does not change, so a list is read once and cached. */
export function createPastRecords(history: Pick<RecordHistory, 'asOf'>) {
  const lists = new LRUCache<string, PastList>({
    maxSize: MAX_REMEMBERED,
    sizeCalculation: (list) => list.records.length + 1,
  });

  async function read(stream: RecordStream, at: string, needle: string): Promise<PastList> {
    const records: IndexedRecord[] = [];
    let lost = 0;
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<RecordHistory['asOf']>> = await history.asOf(stream, at, {
        after,
        limit: SLICE,
      });
      for (const { id, json } of page.records) {
        if (json === null) lost += 1;
        else {
          const { text, metadata } = splitRecord(json);
          if (needle === '' || id.toLowerCase().includes(needle) || text.toLowerCase().includes(needle))
            records.push({ id, metadata });
        }
      }
      after = page.next;
    }
    records.sort((a, b) => (a.metadata.last_modified_at < b.metadata.last_modified_at ? -1 : 1));
    return { records, lost };
  }

  return {
    async list(
      stream: RecordStream,
      at: string,
      { actions, search, modifiedFrom = 0, modifiedTo = Number.POSITIVE_INFINITY, by, direction }: PastRequest,
    ): Promise<{ ids: string[]; lost: number; snapshot: string }> {
      const needle = search?.trim().toLowerCase() ?? '';
      const key = JSON.stringify([stream.connectionRowId, stream.model, stream.variant, at, needle]);
      const list = lists.get(key) ?? (await read(stream, at, needle));
      lists.set(key, list);
      const records = list.records.filter(({ metadata }) => {
        const ms = Date.parse(metadata.last_modified_at);
        return (actions?.includes(metadata.last_action) ?? true) && ms >= modifiedFrom && ms <= modifiedTo;
      });
      // The list is already in the order of changes.
      if (by === 'id') records.sort((a, b) => BY_ID.compare(a.id, b.id));
      if (by === 'action') records.sort((a, b) => (a.metadata.last_action < b.metadata.last_action ? -1 : 1));
      if (direction === 'desc') records.reverse();
      return { ids: records.map(({ id }) => id), lost: list.lost, snapshot: at };
    },
  };
}
