import { LRUCache } from 'lru-cache';
import type { RecordAction } from '../../contract/dashboard/dashboard-records.ts';
import type { RecordQuery, RecordsService } from '../../services/records/records-service.ts';
import { type RecordMetadata, splitRecord } from './record-view.ts';

export interface IndexedRecord {
  id: string;
  metadata: RecordMetadata;
}

export interface RecordIndexQuery extends Required<Pick<RecordQuery, 'connectionRowId' | 'model' | 'variant'>> {
  actions: readonly RecordAction[] | undefined;
  search: string | undefined;
  /** Moment of the newest record that counts; undefined: now. */
  snapshot: string | undefined;
}

export interface RecordIndex {
  /** In order of change. */
  records: IndexedRecord[];
  snapshot: string;
}

/** Records read at a time while an index is made. */
const SLICE = 1000;
/** Records of all indexes together; about 100 bytes each. */
const MOST_INDEXED = 300_000;
const KEPT_MS = 60_000;

/**
 * Which records of a model a filter lets pass, kept while somebody scrolls through them: records are read in order
 * of change only, their payloads are sealed, and a table asks for any range in any order.
 */
export class RecordIndexes {
  readonly #records: Pick<RecordsService, 'list'>;
  readonly #kept = new LRUCache<string, RecordIndex>({
    maxSize: MOST_INDEXED,
    sizeCalculation: (index) => index.records.length + 1,
    ttl: KEPT_MS,
  });

  constructor(records: Pick<RecordsService, 'list'>) {
    this.#records = records;
  }

  async get(query: RecordIndexQuery): Promise<RecordIndex> {
    const { snapshot, ...filter } = query;
    const known = snapshot === undefined ? undefined : this.#kept.get(keyOf(filter, snapshot));
    if (known) return known;
    const index = await this.#build(query);
    this.#kept.set(keyOf(filter, index.snapshot), index);
    return index;
  }

  async #build(query: RecordIndexQuery): Promise<RecordIndex> {
    const { connectionRowId, model, variant, actions, search, snapshot } = query;
    const records: IndexedRecord[] = [];
    let newest = '';
    let cursor: string | null = null;
    do {
      const page = await this.#records.list({
        connectionRowId, model, variant, limit: SLICE,
        ...(cursor === null ? {} : { cursor }),
        ...(actions ? { filter: actions.map(toFilter) } : {}),
      });
      for (const { id, json } of page.records) {
        const { text, metadata } = splitRecord(json);
        if (snapshot !== undefined && metadata.last_modified_at > snapshot) return { records, snapshot };
        newest = metadata.last_modified_at;
        if (matches(search, id, text)) records.push({ id, metadata });
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
    return { records, snapshot: snapshot ?? newest };
  }
}

function keyOf(filter: Omit<RecordIndexQuery, 'snapshot'>, snapshot: string): string {
  return JSON.stringify([filter.connectionRowId, filter.model, filter.variant, filter.actions, filter.search, snapshot]);
}

function toFilter(action: RecordAction): 'added' | 'updated' | 'deleted' {
  return action === 'ADDED' ? 'added' : action === 'UPDATED' ? 'updated' : 'deleted';
}

function matches(search: string | undefined, id: string, text: string): boolean {
  const needle = search?.trim().toLowerCase() ?? '';
  return needle === '' || id.toLowerCase().includes(needle) || text.toLowerCase().includes(needle);
}
