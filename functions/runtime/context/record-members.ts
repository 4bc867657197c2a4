import type { HostMethods, RecordsSaved, WireRecord } from '../bridge.ts';
import {
  ArrayIsArray,
  ArrayPrototypeSlice,
  isInstance,
  JSONParse,
  JSONStringify,
  NumberIsNaN,
  ObjectCreate,
  PrimordialError,
  ReflectDeleteProperty,
  StringPrototypeReplaceAll,
  toText,
} from '../primordials.ts';
import type { GuestRun, Members } from './guest-run.ts';

const BATCH_SIZE = 1000;
const IDS_PER_CALL = 100;
const RECORDS_PER_PAGE = 100;
type BatchVerb = 'save' | 'update' | 'delete';

/** The record members of syncs and webhook handlers (functions.md 3.6). */
export function recordMembers(run: GuestRun): Members {
  const batch = (verb: BatchVerb) => (records: unknown[] | null | undefined, model: string) =>
    writeInBatches(run, verb, records, model);
  return {
    batchSave: batch('save'),
    batchSend: batch('save'),
    batchUpdate: batch('update'),
    batchDelete: batch('delete'),
    ...readMembers(run),
    ...strategyMembers(run),
    trackDeletesStart: async (model: unknown) =>
      void (await run.host.call('records.trackDeletesStart', { model: toText(model) })),
    trackDeletesEnd: async (model: unknown) => run.host.call('records.trackDeletesEnd', { model: toText(model) }),
    deleteRecordsFromPreviousExecutions: async (model: unknown) =>
      run.host.call('records.deleteFromPreviousExecutions', { model: toText(model) }),
  };
}

async function writeInBatches(run: GuestRun, verb: BatchVerb, records: unknown[] | null | undefined, model: string) {
  if (!records) return true;
  // An object has no length either, so it would otherwise count as an empty list.
  if (!ArrayIsArray(records)) throw new Error(`Failed to ${verb} records: they are not in a list`);
  if (records.length === 0) return true;
  try {
    checkModel(run, model);
    for (let start = 0; start < records.length; start += BATCH_SIZE) {
      const batch = ArrayPrototypeSlice(records, start, start + BATCH_SIZE);
      report(run, verb, model, batch.length, await write(run, verb, batch, model, start));
    }
  } catch (error) {
    const reason = isInstance(error, PrimordialError) ? error.message : toText(error);
    throw new Error(`Failed to ${verb} records: ${reason}`, { cause: error });
  }
  return true;
}

function write(run: GuestRun, verb: BatchVerb, batch: unknown[], model: string, start: number): Promise<RecordsSaved> {
  const at = <T>(read: (item: unknown, index: number) => T): T[] =>
    mapList(batch, (item, index) => read(item, start + index));
  if (verb === 'delete') return run.host.call('records.delete', { model, ids: at(idOf) });
  return run.host.call(`records.${verb}`, { model, records: at(toWireRecord) });
}

/** A loop by index, because a library may have patched `map`. */
function mapList<T>(list: readonly unknown[], map: (item: unknown, index: number) => T): T[] {
  const mapped: T[] = [];
  for (let index = 0; index < list.length; index++) mapped[index] = map(list[index], index);
  return mapped;
}

function checkModel(run: GuestRun, model: string): void {
  const { models } = run.context;
  if (models.includes(model)) return;
  run.log.internal('error', `The model '${model}' is not declared. Declared models: ${models.join(', ') || 'none'}.`);
  throw new Error(`the model '${model}' is not declared by this function`);
}

function report(run: GuestRun, verb: BatchVerb, model: string, total: number, saved: RecordsSaved): void {
  for (let index = 0; index < saved.duplicates.length; index++) {
    const id = saved.duplicates[index];
    run.log.internal(
      'error',
      `The id '${id}' occurs more than once in a batch of '${model}'; the first record was kept.`,
    );
  }
  const modified = saved.added + saved.updated + saved.deleted;
  run.log.internal('info', `${verb} of ${total} '${model}' records: ${modified} modified.`, { model, total, modified });
}

function strategyMembers(run: GuestRun): Members {
  const chosen = new Set<string>();
  return {
    async setMergingStrategy(merging: { strategy: 'override' | 'ignore_if_modified_after' }, model: string) {
      const strategy = merging?.strategy;
      if (strategy !== 'override' && strategy !== 'ignore_if_modified_after') {
        throw new Error(`Unknown merging strategy '${toText(strategy)}'`);
      }
      if (chosen.has(model)) {
        run.log.internal('warn', `The merging strategy of '${model}' is already set in this run; the first one stays.`);
        return;
      }
      chosen.add(model);
      await run.host.call('records.setMergingStrategy', { model: toText(model), strategy });
    },
  };
}

function readMembers(run: GuestRun): Members {
  const getRecordsByIds = (ids: unknown[], model: string) => findRecords(run, ids, model);
  return {
    getRecordsByIds,
    getRecordsById: getRecordsByIds,
    listRecords: (model: string, options?: { cursor?: string }) => listRecords(run, model, options?.cursor),
  };
}

/** The keys of the map are the ids as requested, numbers included. */
async function findRecords(run: GuestRun, ids: unknown[] | undefined, model: string): Promise<Map<unknown, unknown>> {
  const found = new Map<unknown, unknown>();
  const wanted = ids ?? [];
  for (let start = 0; start < wanted.length; start += IDS_PER_CALL) {
    const asked = wanted.slice(start, start + IDS_PER_CALL);
    const { records } = await run.host.call('records.getByIds', {
      model: toText(model),
      ids: mapList(asked, toStoredId),
    });
    const byId = ObjectCreate(null) as Record<string, string>;
    for (let index = 0; index < records.length; index++) {
      const { id, json } = records[index] as WireRecord;
      byId[id] = json;
    }
    for (let index = 0; index < asked.length; index++) {
      const json = byId[toStoredId(asked[index])];
      if (json !== undefined) found.set(asked[index], JSONParse(json));
    }
  }
  return found;
}

async function* listRecords(run: GuestRun, model: string, start?: string): AsyncGenerator<unknown> {
  let cursor: string | null | undefined = start;
  do {
    const page: HostMethods['records.list']['result'] = await run.host.call('records.list', {
      model: toText(model),
      limit: RECORDS_PER_PAGE,
      ...(cursor ? { cursor: toText(cursor) } : {}),
    });
    for (let index = 0; index < page.records.length; index++) yield JSONParse((page.records[index] as WireRecord).json);
    cursor = page.nextCursor;
  } while (cursor);
}

const MAX_ID_LENGTH = 2048;

/** Checks the id rules of functions.md 3.6 and serialises the record once. */
function toWireRecord(record: unknown, index: number): WireRecord {
  const id = idOf(record, index);
  const own = withoutMetadata(record as Record<string, unknown>);
  const json = own['id'] === id ? JSONStringify(own) : JSONStringify({ ...own, id });
  if (typeof json !== 'string') throw new Error(`the record '${id}' cannot be written as JSON`);
  return { id, json };
}

/** The member is deleted from the author's own object, as the contract requires. A frozen object is copied. */
function withoutMetadata(record: Record<string, unknown>): Record<string, unknown> {
  if (ReflectDeleteProperty(record, '_nango_metadata')) return record;
  const { _nango_metadata: _own, ...rest } = record;
  return rest;
}

/** The id in stored form: text without NUL. The index is that in the author's list, for messages. */
function idOf(record: unknown, index: number): string {
  if (typeof record !== 'object' || record === null)
    throw new Error(`the record at index ${index} is missing: it is ${kindOf(record)}, not an object`);
  const id = (record as { id?: unknown }).id;
  if (id === undefined || id === null || id === '' || id === 0 || NumberIsNaN(id)) throw unusable(kindOf(id), index);
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new Error(
      `the id of the record at index ${index} is neither a text nor a number, but ${kindOf(id)}: convert it to a text`,
    );
  const text = toStoredId(id);
  if (text === '') throw unusable('a text of NUL characters only', index);
  if (text.length > MAX_ID_LENGTH)
    throw new Error(`the id of the record at index ${index} is longer than ${MAX_ID_LENGTH} characters`);
  return text;
}

function unusable(what: string, index: number): Error {
  return new Error(
    `the record at index ${index} has no id that can be used: it is ${what}. Give a text that is not empty, or a number other than 0`,
  );
}

/** What a value is, in words; never its content, which may be long or private. */
function kindOf(value: unknown): string {
  if (value === '') return 'an empty text';
  if (value === undefined || value === null || value === 0 || typeof value === 'boolean' || NumberIsNaN(value))
    return toText(value);
  if (ArrayIsArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Ids are stored as text, which cannot contain NUL. */
function toStoredId(id: unknown): string {
  return StringPrototypeReplaceAll(toText(id), '\0', '');
}
