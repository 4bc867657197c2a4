import { LRUCache } from 'lru-cache';
import type { ShownRecordAction } from '../../../contract/dashboard/dashboard-records.ts';
import { IdList } from '../../../lib/id-list.ts';
import type { RecordAction, RecordsService } from '../../../services/records/records-service.ts';

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

/** Characters of all remembered lists together: about four million ids. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Ids of all remembered searches together; some tens of bytes each. */
const MOST_IDS = 300_000;
/** A table that nobody looks at any more gives its memory back. */
const REMEMBERED_MS = 600_000;
const FORGET = { ttl: REMEMBERED_MS, ttlAutopurge: true, updateAgeOnGet: true } as const;

/**
 * Which records a table shows, in its order. Ids, times and actions come from an index of the database. Payloads are
 * sealed, so a text is looked for in them one by one, but only once: what is typed further looks among what was found,
 * and of a model that goes on changing only the changes are opened. A list stays as it was when its first page was
 * asked for: records that change meanwhile keep their row, and no other is skipped.
 */
export class RecordIndexes {
  readonly #records: Pick<RecordsService, 'findText' | 'lastChange' | 'listIds'>;
  readonly #lists = new LRUCache<string, IdList>({
    ...FORGET,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (ids) => ids.size + 1,
  });
  readonly #found = new LRUCache<string, Found>({
    ...FORGET,
    maxSize: MOST_IDS,
    sizeCalculation: ({ ids }) => ids.size + 1,
  });

  constructor(records: Pick<RecordsService, 'findText' | 'lastChange' | 'listIds'>) {
    this.#records = records;
  }

  /** `signal` ends a search whose answer is not needed any more; what it returns then is incomplete. */
  async list(
    stream: RecordStream,
    request: ListRequest,
    signal: AbortSignal,
  ): Promise<{ ids: IdList; snapshot: string }> {
    const { snapshot, search, ...rest } = request;
    const needle = search?.trim().toLowerCase() ?? '';
    const keyAt = (until: string): string => JSON.stringify([stream, { ...rest, needle }, until]);
    const at = snapshot ?? (await this.#records.lastChange(stream));
    const known = this.#lists.get(keyAt(at));
    if (known) return { ids: known, snapshot: at };
    const { actions, ...order } = rest;
    const ids = await this.#records.listIds({
      ...stream,
      ...order,
      filter: actions?.map((action) => action.toLowerCase() as RecordAction),
      until: at,
    });
    const found = needle === '' ? undefined : await this.#search(stream, { needle, until: at, signal });
    const shown = found ? IdList.of([...ids].filter((id) => found.has(id))) : ids;
    if (!signal.aborted) this.#lists.set(keyAt(at), shown);
    return { ids: shown, snapshot: at };
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
    const look = (within: { ids?: string[]; after?: string }): Promise<string[]> =>
      this.#records.findText({ ...stream, ...within, text: needle, signal });
    if (!wider) return this.#remember(key, { until, ids: new Set(await look({})) }, signal);
    const since = { after: wider.until };
    const changed = await this.#records.listIds({
      ...stream,
      ...since,
      until,
      by: 'modified',
      direction: 'desc',
    });
    const isChanged = new Set(changed);
    const unchanged = [...wider.ids].filter((id) => !isChanged.has(id));
    const ids = new Set([...(same ? unchanged : await look({ ids: unchanged })), ...(await look(since))]);
    return this.#remember(key, { until, ids }, signal);
  }

  /** What was found before the reader went away is not all. */
  #remember(key: string, found: Found, signal: AbortSignal): ReadonlySet<string> {
    if (!signal.aborted) this.#found.set(key, found);
    return found.ids;
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
