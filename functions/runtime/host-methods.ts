import { z } from 'zod';
import { isJsonTree } from './message-size.ts';

/**
 * Every method that a function may call on its host: one row per method, and the only description of it. The types of
 * the bridge, the host object of runs, dry runs, the recorder, the mock classes and the `await` check are derived from
 * these rows. Arguments are checked in the server, never in the isolate, where author code could change the checks.
 */
interface HostMethodRow {
  /** The only argument, an object. Unknown members are dropped; an invalid argument ends the run. */
  args: z.ZodType;
  result: z.ZodType;
  /**
   * Members of the context object that the compiler requires to be awaited: without the await, a write or an error
   * could be lost.
   */
  awaited?: readonly string[];
  /**
   * What a run that stores nothing does with the method. `real`: as in any run. `memory`: answers from memory, which is
   * dropped at the end. `own`: depends on the kind of dry run.
   */
  dryRun: 'real' | 'memory' | 'own';
  /** Members that a recorded run replays, and whether a member that was not recorded throws (functions.md 8.3). */
  recorded?: Readonly<Record<string, 'required' | 'optional'>>;
}

/** Largest number of records per call; the guest sends longer lists in several calls. */
const MAX_RECORDS = 1000;
/** Largest number of records that one call reads. */
const MAX_RECORDS_READ = 100;
const MAX_HEADERS = 1000;
const MAX_PARAMS = 10_000;
const MAX_PARTS = 10_000;
const MAX_STATUSES = 1000;
const MAX_SYNCS = 1000;
/** Of what an action keeps for its undo; in characters of JSON. */
const MAX_KEPT_LENGTH = 100_000;

const none = z.object({});
const nothing = z.null();
const model = z.string();
const connection = { providerConfigKey: z.string(), connectionId: z.string() };
/** The hub makes JSON of it, whose size a member that occurs again would multiply. */
const object = z.custom<Record<string, unknown>>(
  (value) => isObject(value) && isJsonTree(value),
  'expected an object whose members occur once',
);
const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'expected bytes');
const flag = z.boolean().exactOptional();
const headers = textMap(MAX_HEADERS);
/** Names in lower case. Repeated headers are joined by ", " (set-cookie stays a list). */
const answeredHeaders = z.custom<Record<string, string | string[]>>(isObject, 'expected an object');
const bodyOrBytes = z.union([z.string(), bytes]);
const recordList = listOf(MAX_RECORDS, isRecord);
const recordsRead = listOf(Number.POSITIVE_INFINITY, isRecord);
const idList = (most: number) => listOf(most, isText);
const deletedKeys = z.object({ deletedKeys: idList(Number.POSITIVE_INFINITY) });
const saved = z.object({
  added: z.number(),
  updated: z.number(),
  deleted: z.number(),
  unchanged: z.number(),
  /** Ids that occurred more than once in the batch. The first occurrence was kept. */
  duplicates: idList(MAX_RECORDS),
});
const sync = z.object({ name: z.string(), variant: z.string() });
const textOrList = z.union([z.string(), idList(MAX_HEADERS)]).exactOptional();

const httpBody = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal(['json', 'form', 'text']), text: z.string() }),
  z.object({ kind: z.literal('bytes'), bytes }),
  z.object({
    kind: z.literal('multipart'),
    parts: upTo(
      MAX_PARTS,
      z.object({
        name: z.string(),
        text: z.string().exactOptional(),
        bytes: bytes.exactOptional(),
        filename: z.string().exactOptional(),
        contentType: z.string().exactOptional(),
      }),
    ),
  }),
]);

const httpResponse = z.object({
  status: z.number(),
  statusText: z.string(),
  headers: answeredHeaders,
  /** Text or bytes, as requested by `expect`. */
  body: bodyOrBytes,
});

export const HOST_METHODS = {
  'http.request': {
    args: z.object({
      method: z.string(),
      endpoint: z.string(),
      baseUrlOverride: z.string().exactOptional(),
      providerConfigKey: z.string().exactOptional(),
      connectionId: z.string().exactOptional(),
      headers: headers.exactOptional(),
      /**
       * The query: text is appended unchanged, or pairs are set one by one (arrays are already joined, undefined is
       * already dropped).
       */
      params: z.union([z.string(), textMap(MAX_PARAMS)]).exactOptional(),
      /** Already encoded by the guest: text (JSON, form, plain), bytes, or multipart parts. */
      body: httpBody.exactOptional(),
      retries: z.number().exactOptional(),
      retryOn: listOf(MAX_STATUSES, isFiniteNumber).exactOptional(),
      retryHeader: z.object({ at: textOrList, after: textOrList }).exactOptional(),
      decompress: flag,
      forwardHeadersOnRedirect: flag,
      /** The base URL comes from a response: the link to a next page (design.md 7.48). */
      followsLink: flag,
      /** The form in which the guest wants the body: `bytes` for arraybuffer, else text. */
      expect: z.literal(['text', 'bytes']),
    }),
    result: httpResponse.extend({ config: z.object({ method: z.string(), url: z.string(), headers }) }),
    awaited: ['get', 'post', 'put', 'patch', 'delete', 'proxy'],
    dryRun: 'real',
  },
  'http.uncontrolledFetch': {
    args: z.object({ url: z.string(), method: z.string(), headers, body: z.string().nullable() }),
    result: httpResponse.extend({ url: z.string() }),
    dryRun: 'real',
  },
  'connection.get': {
    args: z.object({
      providerConfigKey: z.string().exactOptional(),
      connectionId: z.string().exactOptional(),
      refreshToken: flag,
      forceRefresh: flag,
      refreshGithubAppJwtToken: flag,
    }),
    result: object,
    awaited: ['getConnection', 'getMetadata', 'getFieldMapping'],
    dryRun: 'own',
    recorded: { getConnection: 'required', getMetadata: 'required' },
  },
  /** Both return the response of `POST` and `PATCH /connections/metadata`. */
  'metadata.set': {
    args: z.object({ metadata: object }),
    result: object,
    awaited: ['setMetadata', 'setFieldMapping'],
    dryRun: 'own',
  },
  'metadata.update': {
    args: z.object({ metadata: object }),
    result: object,
    awaited: ['updateMetadata'],
    dryRun: 'own',
    recorded: { updateMetadata: 'optional' },
  },
  'integration.get': { args: z.object({ include: listOf(10, isText) }), result: object, dryRun: 'real' },
  'environment.variables': {
    args: none,
    result: z.array(z.object({ name: z.string(), value: z.string() })),
    awaited: ['getEnvironmentVariables'],
    dryRun: 'real',
  },
  /**
   * `input` and `output` are JSON text. A failure rejects with `response.body`, which has the form of functions.md 6.4.
   */
  'action.trigger': {
    args: z.object({ ...connection, actionName: z.string(), input: z.string().exactOptional() }),
    result: z.object({ output: z.string() }),
    awaited: ['triggerAction'],
    dryRun: 'real',
  },
  'sync.trigger': {
    args: z.object({ ...connection, sync, reset: z.boolean(), emptyCache: z.boolean() }),
    result: nothing,
    awaited: ['triggerSync'],
    dryRun: 'own',
  },
  'sync.start': {
    args: z.object({
      providerConfigKey: z.string(),
      syncs: upTo(MAX_SYNCS, sync),
      connectionId: z.string().exactOptional(),
    }),
    result: nothing,
    awaited: ['startSync'],
    dryRun: 'memory',
  },
  'records.save': {
    args: z.object({ model, records: recordList }),
    result: saved,
    awaited: ['batchSave', 'batchSend'],
    dryRun: 'memory',
  },
  'records.update': {
    args: z.object({ model, records: recordList }),
    result: saved,
    awaited: ['batchUpdate'],
    dryRun: 'memory',
  },
  'records.delete': {
    args: z.object({ model, ids: idList(MAX_RECORDS) }),
    result: saved,
    awaited: ['batchDelete'],
    dryRun: 'memory',
  },
  /** Unknown ids are left out. */
  'records.getByIds': {
    args: z.object({ model, ids: idList(MAX_RECORDS_READ) }),
    result: z.object({ records: recordsRead }),
    dryRun: 'real',
  },
  'records.list': {
    args: z.object({ model, cursor: z.string().exactOptional(), limit: z.int().min(1).max(MAX_RECORDS_READ) }),
    result: z.object({ records: recordsRead, nextCursor: z.string().nullable() }),
    dryRun: 'real',
  },
  'records.setMergingStrategy': {
    args: z.object({ model, strategy: z.literal(['override', 'ignore_if_modified_after']) }),
    result: nothing,
    awaited: ['setMergingStrategy'],
    dryRun: 'memory',
  },
  'records.trackDeletesStart': {
    args: z.object({ model }),
    result: nothing,
    awaited: ['trackDeletesStart'],
    dryRun: 'memory',
    recorded: { trackDeletesStart: 'optional' },
  },
  'records.trackDeletesEnd': {
    args: z.object({ model }),
    result: deletedKeys,
    awaited: ['trackDeletesEnd'],
    dryRun: 'memory',
    recorded: { trackDeletesEnd: 'optional' },
  },
  'records.deleteFromPreviousExecutions': {
    args: z.object({ model }),
    result: deletedKeys,
    awaited: ['deleteRecordsFromPreviousExecutions'],
    dryRun: 'memory',
    recorded: { deleteRecordsFromPreviousExecutions: 'optional' },
  },
  'checkpoint.get': { args: none, result: object.nullable(), dryRun: 'memory' },
  'checkpoint.save': {
    args: z.object({ checkpoint: object }),
    result: nothing,
    awaited: ['saveCheckpoint'],
    dryRun: 'memory',
  },
  'checkpoint.clear': { args: none, result: nothing, awaited: ['clearCheckpoint'], dryRun: 'memory' },
  'lock.acquire': {
    args: z.object({ key: z.string().min(1).max(255), ttlMs: z.number().positive() }),
    result: z.boolean(),
    awaited: ['tryAcquireLock'],
    dryRun: 'memory',
  },
  'lock.release': {
    args: z.object({ key: z.string().min(1).max(255) }),
    result: z.boolean(),
    awaited: ['releaseLock'],
    dryRun: 'memory',
  },
  /** What the run has cost, beside earlier reports. */
  'cost.report': {
    args: z.object({ amount: z.number().min(0).max(1_000_000_000) }),
    result: nothing,
    awaited: ['reportCost'],
    dryRun: 'memory',
  },
  'undo.keep': {
    /** JSON text; null when it is too long. */
    args: z.object({ value: z.string().max(MAX_KEPT_LENGTH).nullable() }),
    result: nothing,
    awaited: ['keepForUndo'],
    dryRun: 'memory',
  },
  'lock.releaseAll': { args: none, result: nothing, awaited: ['releaseAllLocks'], dryRun: 'memory' },
} as const satisfies Record<string, HostMethodRow>;

export type HostMethodTable = typeof HOST_METHODS;

export function isHostMethod(name: unknown): name is keyof HostMethodTable {
  return typeof name === 'string' && Object.hasOwn(HOST_METHODS, name);
}

/** Members of the context object that the compiler requires to be awaited. */
export function awaitedMembers(): string[] {
  const rows: HostMethodRow[] = Object.values(HOST_METHODS);
  return rows.flatMap(({ awaited = [] }) => awaited);
}

/** One record from the function: `json` is its JSON text with `id` as a string and without `_nango_metadata`. */
interface RecordShape {
  id: string;
  json: string;
}

function isRecord(value: unknown): value is RecordShape {
  if (typeof value !== 'object' || value === null) return false;
  const { id, json } = value as Partial<RecordShape>;
  return typeof id === 'string' && typeof json === 'string';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** A plain object: not a list, and not one of the classes that a structured clone preserves. */
function isObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/**
 * Lists and maps are counted first and checked in a loop: a schema per item would take a tenth of the time of a batch
 * of records, and would create an issue for each of a million wrong items.
 */
function listOf<T>(most: number, isItem: (value: unknown) => value is T) {
  return z.custom<T[]>(
    (value) => {
      if (!Array.isArray(value) || value.length > most) return false;
      // A loop by index, because `every` skips the holes of a sparse list.
      for (let index = 0; index < value.length; index++) if (!isItem(value[index])) return false;
      return true;
    },
    `expected a list of the right items${Number.isFinite(most) ? `, at most ${most}` : ''}`,
  );
}

function textMap(most: number) {
  return z.custom<Record<string, string>>((value) => {
    if (!isObject(value)) return false;
    const values = Object.values(value as object);
    return values.length <= most && values.every(isText);
  }, `expected texts by name, at most ${most}`);
}

function upTo<T extends z.ZodType>(most: number, item: T) {
  const counted = z.custom<z.input<T>[]>(
    (value) => Array.isArray(value) && value.length <= most,
    `expected a list of at most ${most}`,
  );
  return counted.pipe(z.array(item));
}
