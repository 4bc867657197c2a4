import { LRUCache } from 'lru-cache';
import { IdList } from '../platform/lib/id-list.ts';
import type { ShownRecordAction } from './dashboard-records.contract.ts';
import type { RecordAction, RecordsService } from './records.service.ts';

export interface RecordStream {
  connectionRowId: number;
  model: string;
  variant: string;
}

export interface RecordFilter {
  actions: readonly ShownRecordAction[] | undefined;
  /** Text to find in the id or anywhere in the record. */
  search: string | undefined;
  /** Milliseconds since the epoch. */
  modifiedFrom: number | undefined;
  modifiedTo: number | undefined;
}

interface ListRequest extends RecordFilter {
  by: 'modified' | 'id' | 'action';
  direction: 'asc' | 'desc';
  /** Snapshot of the first page; undefined means now. */
  snapshot: string | undefined;
}

/** The records that contain a text, among those changed up to a point. */
interface Found {
  until: string;
  ids: ReadonlySet<string>;
}

/** Largest size of all cached lists together, in characters: about four million ids. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** Largest number of ids in all cached searches together; each takes some tens of bytes. */
const MAX_IDS = 300_000;
/** Lists that were not read for this long are dropped. */
const REMEMBERED_MS = 600_000;
const FORGET = { ttl: REMEMBERED_MS, ttlAutopurge: true, updateAgeOnGet: true } as const;

export type RecordIndexes = ReturnType<typeof createRecordIndexes>;

/**
 * Finds the records of a table in its order. Ids, times and actions come from a database index. Payloads are sealed, so
 * a text search opens them one by one, but only once: a longer text searches the earlier result, and after new changes
 * only the changed records are opened. A list keeps the state of its first page: records that change later keep their
 * row, and no row is skipped.
 */
export function createRecordIndexes(records: Pick<RecordsService, 'findText' | 'lastChange' | 'listIds'>) {
  const lists = new LRUCache<string, IdList>({
    ...FORGET,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (ids) => ids.size + 1,
  });
  const kept = new LRUCache<string, Found>({
    ...FORGET,
    maxSize: MAX_IDS,
    sizeCalculation: ({ ids }) => ids.size + 1,
  });

  /** Resolves to the ids of the records that contain the text, before other filters. */
  async function searchIn(
    stream: RecordStream,
    { needle, until, signal }: { needle: string; until: string; signal: AbortSignal },
  ): Promise<ReadonlySet<string>> {
    const key = keyOf(stream, needle);
    const same = kept.get(key);
    if (same?.until === until) return same.ids;
    const wider = same ?? findWider(stream, needle);
    const look = (within: { ids?: string[]; after?: string }): Promise<string[]> =>
      records.findText({ ...stream, ...within, text: needle, signal });
    if (!wider) return remember(key, { until, ids: new Set(await look({})) }, signal);
    const since = { after: wider.until };
    const changed = await records.listIds({
      ...stream,
      ...since,
      until,
      by: 'modified',
      direction: 'desc',
    });
    const isChanged = new Set(changed);
    const unchanged = [...wider.ids].filter((id) => !isChanged.has(id));
    const ids = new Set([...(same ? unchanged : await look({ ids: unchanged })), ...(await look(since))]);
    return remember(key, { until, ids }, signal);
  }

  /** A search that was aborted is incomplete and is not cached. */
  function remember(key: string, found: Found, signal: AbortSignal): ReadonlySet<string> {
    if (!signal.aborted) kept.set(key, found);
    return found.ids;
  }

  /** The result for a part of the text: matches of the whole text are among it. */
  function findWider(stream: RecordStream, needle: string): Found | undefined {
    for (let length = needle.length - 1; length > 0; length -= 1) {
      const found = kept.get(keyOf(stream, needle.slice(0, length)));
      if (found) return found;
    }
    return undefined;
  }

  return {
    /** `signal` aborts a search whose response is no longer needed; the returned list is then incomplete. */
    async list(
      stream: RecordStream,
      request: ListRequest,
      signal: AbortSignal,
    ): Promise<{ ids: IdList; snapshot: string }> {
      const { snapshot, search, ...rest } = request;
      const needle = search?.trim().toLowerCase() ?? '';
      const keyAt = (until: string): string => JSON.stringify([stream, { ...rest, needle }, until]);
      const at = snapshot ?? (await records.lastChange(stream));
      const known = lists.get(keyAt(at));
      if (known) return { ids: known, snapshot: at };
      const { actions, ...order } = rest;
      const ids = await records.listIds({
        ...stream,
        ...order,
        filter: actions?.map((action) => action.toLowerCase() as RecordAction),
        until: at,
      });
      const found = needle === '' ? undefined : await searchIn(stream, { needle, until: at, signal });
      const shown = found ? IdList.of([...ids].filter((id) => found.has(id))) : ids;
      if (!signal.aborted) lists.set(keyAt(at), shown);
      return { ids: shown, snapshot: at };
    },
  };
}

function keyOf({ connectionRowId, model, variant }: RecordStream, needle: string): string {
  return JSON.stringify([connectionRowId, model, variant, needle]);
}
