import { LRUCache } from 'lru-cache';
import type { ShownRecordAction } from '../../../contract/dashboard/dashboard-records.ts';
import type { RecordAction, RecordsService } from '../../../services/records/records-service.ts';
import { splitRecord } from './record-view.ts';

export interface RecordStream {
  connectionRowId: number;
  model: string;
  variant: string;
}

export interface RecordFilter {
  actions: readonly ShownRecordAction[] | undefined;
  /** Text in the id or anywhere in the record. */
  search: string | undefined;
  /** Milliseconds. */
  modifiedFrom: number | undefined;
  modifiedTo: number | undefined;
}

interface ListRequest extends RecordFilter {
  by: 'modified' | 'id' | 'action';
  direction: 'asc' | 'desc';
  /** Of the first page; undefined: now. */
  snapshot: string | undefined;
}

/** The records that hold a text, of those that had changed until then. */
interface Found {
  until: string;
  ids: ReadonlySet<string>;
}

/** Payloads that are opened before others get their turn and the reader may go away. */
const SLICE = 500;
/** Ids of all remembered lists and searches together; some tens of bytes each. */
const MOST_IDS = 300_000;

/**
 * Which records a table shows, in its order. Ids, times and actions come from an index of the database. Payloads are
 * sealed, so a text is looked for in them one by one, but only once: what is typed further looks among what was found,
 * and of a model that goes on changing only the changes are opened. A list stays as it was when its first page was
 * asked for: records that change meanwhile keep their row, and no other is skipped.
 */
export class RecordIndexes {
  readonly #records: Pick<RecordsService, 'list' | 'listIds'>;
  readonly #lists = new LRUCache<string, readonly string[]>({
    maxSize: MOST_IDS,
    sizeCalculation: (ids) => ids.length + 1,
  });
  readonly #found = new LRUCache<string, Found>({ maxSize: MOST_IDS, sizeCalculation: ({ ids }) => ids.size + 1 });

  constructor(records: Pick<RecordsService, 'list' | 'listIds'>) {
    this.#records = records;
  }

  /** `signal` ends a search whose answer is not needed any more; what it returns then is incomplete. */
  async list(
    stream: RecordStream,
    request: ListRequest,
    signal: AbortSignal,
  ): Promise<{ ids: readonly string[]; snapshot: string }> {
    const { snapshot, search, ...rest } = request;
    const needle = search?.trim().toLowerCase() ?? '';
    const keyAt = (until: string): string => JSON.stringify([stream, { ...rest, needle }, until]);
    const known = snapshot === undefined ? undefined : this.#lists.get(keyAt(snapshot));
    if (snapshot !== undefined && known) return { ids: known, snapshot };
    const { actions, ...order } = rest;
    const { ids, until } = await this.#records.listIds({
      ...stream,
      ...order,
      filter: actions?.map((action) => action.toLowerCase() as RecordAction),
      ...(snapshot === undefined ? {} : { until: snapshot }),
    });
    const found = needle === '' ? undefined : await this.#search(stream, { needle, until, signal });
    const shown = found ? ids.filter((id) => found.has(id)) : ids;
    if (!signal.aborted) this.#lists.set(keyAt(until), shown);
    return { ids: shown, snapshot: until };
  }

  /** Ids of the records that hold the text, whatever else narrows the list. */
  async #search(
    stream: RecordStream,
    { needle, until, signal }: { needle: string; until: string; signal: AbortSignal },
  ): Promise<ReadonlySet<string>> {
    const key = keyOf(stream, needle);
    const same = this.#found.get(key);
    if (same?.until === until) return same.ids;
    const wider = same ?? this.#findWider(stream, needle);
    const { ids: changed } = await this.#records.listIds({
      ...stream,
      ...(wider ? { after: wider.until } : {}),
      until,
      by: 'modified',
      direction: 'desc',
    });
    const isChanged = new Set(changed);
    const unchanged = [...(wider?.ids ?? [])].filter((id) => !isChanged.has(id));
    const found = new Set(same ? unchanged : []);
    const candidates = same ? changed : [...changed, ...unchanged];
    for (let from = 0; from < candidates.length && !signal.aborted; from += SLICE) {
      const ids = candidates.slice(from, from + SLICE);
      const closed = ids.filter((id) => !id.toLowerCase().includes(needle));
      for (const id of ids) if (id.toLowerCase().includes(needle)) found.add(id);
      const { records } = await this.#records.list({ ...stream, ids: closed, limit: SLICE });
      for (const { id, json } of records) if (splitRecord(json).text.toLowerCase().includes(needle)) found.add(id);
    }
    if (!signal.aborted) this.#found.set(key, { until, ids: found });
    return found;
  }

  /** What was found for a part of the text: the text itself can only be there. */
  #findWider(stream: RecordStream, needle: string): Found | undefined {
    for (let length = needle.length - 1; length > 0; length -= 1) {
      const found = this.#found.get(keyOf(stream, needle.slice(0, length)));
      if (found) return found;
    }
    return undefined;
  }
}

function keyOf({ connectionRowId, model, variant }: RecordStream, needle: string): string {
  return JSON.stringify([connectionRowId, model, variant, needle]);
}
