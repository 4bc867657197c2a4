import { LRUCache } from 'lru-cache';
import type { RecordHistory } from '../../../services/records/records-service.ts';
import type { IndexedRecord, RecordFilter, RecordStream } from './record-index.ts';
import { splitRecord } from './record-view.ts';

interface PastList {
  /** In order of change. */
  records: IndexedRecord[];
  lost: number;
}

/** Records read at a time. */
const SLICE = 1000;
/** Records of all remembered lists together; some hundred bytes each. */
const MOST_REMEMBERED = 300_000;

/** Which records a table shows as of a past moment. The past does not change, so a list that was read once is kept. */
export class PastRecords {
  readonly #history: Pick<RecordHistory, 'asOf'>;
  readonly #lists = new LRUCache<string, PastList>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: (list) => list.records.length + 1,
  });

  constructor(history: Pick<RecordHistory, 'asOf'>) {
    this.#history = history;
  }

  async list(
    stream: RecordStream,
    at: string,
    { actions, search }: Pick<RecordFilter, 'actions' | 'search'>,
  ): Promise<PastList & { snapshot: string }> {
    const needle = search?.trim().toLowerCase() ?? '';
    const key = JSON.stringify([stream.connectionRowId, stream.model, stream.variant, at, needle]);
    const list = this.#lists.get(key) ?? (await this.#read(stream, at, needle));
    this.#lists.set(key, list);
    const records = list.records.filter(({ metadata }) => actions?.includes(metadata.last_action) ?? true);
    return { records, lost: list.lost, snapshot: at };
  }

  async #read(stream: RecordStream, at: string, needle: string): Promise<PastList> {
    const records: IndexedRecord[] = [];
    let lost = 0;
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<RecordHistory['asOf']>> = await this.#history.asOf(stream, at, {
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
}
