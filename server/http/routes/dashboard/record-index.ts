import { LRUCache } from 'lru-cache';
import type { ShownRecordAction } from '../../../contract/dashboard/dashboard-records.ts';
import { SingleFlight } from '../../../lib/single-flight.ts';
import type { RecordsService } from '../../../services/records/records-service.ts';
import { type RecordViewMetadata, splitRecord } from './record-view.ts';

export interface RecordStream {
  connectionRowId: number;
  model: string;
  variant: string;
}

export interface IndexedRecord {
  id: string;
  metadata: RecordViewMetadata;
}

export interface RecordFilter {
  actions: readonly ShownRecordAction[] | undefined;
  /** Text in the id or anywhere in the record. */
  search: string | undefined;
  /** Moment of the newest record that counts; undefined: now. */
  snapshot: string | undefined;
}

/** All records of one stream as far as it was read. */
interface StreamIndex {
  /** In order of change. */
  records: Map<string, RecordViewMetadata>;
  liveCount: number;
  /** Where reading goes on. */
  cursor: string | null;
}

/** Records read at a time. */
const SLICE = 1000;
/** Records of all indexes together; some hundred bytes each. */
const MOST_INDEXED = 300_000;
const KEPT_SEARCHES = 20;

/**
 * Which records a table shows, in memory: the records service reads in order of change only and payloads are
 * sealed, while a table asks for any range in any order. An index is read once and then only goes on from its end.
 */
export class RecordIndexes {
  readonly #records: Pick<RecordsService, 'list' | 'countByModel'>;
  readonly #indexes = new LRUCache<string, StreamIndex>({
    maxSize: MOST_INDEXED,
    sizeCalculation: (index) => index.records.size + 1,
  });
  readonly #searches = new LRUCache<string, Set<string>>({ max: KEPT_SEARCHES });
  readonly #updates = new SingleFlight<StreamIndex>();

  constructor(records: Pick<RecordsService, 'list' | 'countByModel'>) {
    this.#records = records;
  }

  /** In order of change. */
  async list(
    stream: RecordStream,
    { actions, search, snapshot }: RecordFilter,
  ): Promise<{ records: IndexedRecord[]; snapshot: string }> {
    const index = await this.#updates.run(keyOf(stream), () => this.#update(stream));
    const found = search?.trim() ? await this.#search(stream, index, search.trim().toLowerCase()) : undefined;
    const records: IndexedRecord[] = [];
    let newest = '';
    for (const [id, metadata] of index.records) {
      newest = metadata.last_modified_at;
      if (snapshot !== undefined && newest > snapshot) break;
      if ((actions?.includes(metadata.last_action) ?? true) && (found?.has(id) ?? true)) records.push({ id, metadata });
    }
    return { records, snapshot: snapshot ?? newest };
  }

  async #update(stream: RecordStream): Promise<StreamIndex> {
    const key = keyOf(stream);
    const known = this.#indexes.get(key);
    const index = await this.#extend(stream, known ?? emptyIndex());
    // Other numbers than those of the service: the records were emptied since, and what is known of them is void.
    const isVoid = known !== undefined && index.liveCount !== (await this.#countLive(stream));
    const current = isVoid ? await this.#extend(stream, emptyIndex()) : index;
    this.#indexes.set(key, current);
    return current;
  }

  async #extend(stream: RecordStream, index: StreamIndex): Promise<StreamIndex> {
    for await (const { id, json, cursor } of this.#read(stream, index.cursor)) {
      const { metadata } = splitRecord(json);
      const before = index.records.get(id);
      index.liveCount +=
        Number(metadata.deleted_at === null) - Number(before !== undefined && before.deleted_at === null);
      // Taken out first: a changed record moves to the end.
      index.records.delete(id);
      index.records.set(id, metadata);
      index.cursor = cursor;
    }
    return index;
  }

  /** Ids of the records that hold the text. */
  async #search(stream: RecordStream, index: StreamIndex, needle: string): Promise<Set<string>> {
    const key = JSON.stringify([keyOf(stream), index.cursor, needle]);
    const known = this.#searches.get(key);
    if (known) return known;
    const found = new Set<string>();
    for await (const { id, json } of this.#read(stream, null)) {
      if (id.toLowerCase().includes(needle) || splitRecord(json).text.toLowerCase().includes(needle)) found.add(id);
    }
    this.#searches.set(key, found);
    return found;
  }

  async *#read(stream: RecordStream, after: string | null) {
    let cursor = after;
    do {
      const page = await this.#records.list({ ...stream, limit: SLICE, ...(cursor === null ? {} : { cursor }) });
      yield* page.records;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  async #countLive({ connectionRowId, model, variant }: RecordStream): Promise<number> {
    const counts = (await this.#records.countByModel([connectionRowId])).get(connectionRowId) ?? {};
    return counts[variant === 'base' ? model : `${model}::${variant}`] ?? 0;
  }
}

function emptyIndex(): StreamIndex {
  return { records: new Map(), liveCount: 0, cursor: null };
}

function keyOf({ connectionRowId, model, variant }: RecordStream): string {
  return JSON.stringify([connectionRowId, model, variant]);
}
