import { z } from 'zod';

/**
 * Everything a function may ask of its host: one row per method, and the only description of it. The types of the
 * bridge, the host object of runs, dry runs, the recorder, the mock classes and the `await` check derive from it.
 * Checked in the server, never in the isolate, where author code could change the checks.
 */
interface HostMethodRow {
  /** The one argument object. Members that are not named are dropped; what does not fit ends the run. */
  args: z.ZodType;
  answer: z.ZodType;
  /** Members of the context object whose lost promise is a lost write or a lost error: the compiler wants them awaited. */
  awaited?: readonly string[];
  /**
   * What a run that stores nothing does with it: `real` as any run, `memory` answers from memory and is forgotten at
   * the end, `own` is up to the kind of dry run.
   */
  dryRun: 'real' | 'memory' | 'own';
  /** Members that a recorded run replays, and whether one that was not recorded throws (functions.md 8.3). */
  recorded?: Readonly<Record<string, 'required' | 'optional'>>;
}

/** Records of one call; the guest sends longer lists in several. */
const MOST_RECORDS = 1000;
/** Records that one call reads. */
const MOST_RECORDS_READ = 100;
const MOST_HEADERS = 1000;
const MOST_PARAMS = 10_000;
const MOST_PARTS = 10_000;
const MOST_STATUSES = 1000;
const MOST_SYNCS = 1000;

const none = z.object({});
const nothing = z.null();
const model = z.string();
const connection = { providerConfigKey: z.string(), connectionId: z.string() };
const object = z.custom<Record<string, unknown>>(isObject, 'expected an object');
const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'expected bytes');
const flag = z.boolean().exactOptional();
const headers = textMap(MOST_HEADERS);
/** Lower-case names; repeated headers joined by ", " (set-cookie stays a list). */
const answeredHeaders = z.custom<Record<string, string | string[]>>(isObject, 'expected an object');
const bodyOrBytes = z.union([z.string(), bytes]);
const recordList = listOf(MOST_RECORDS, isRecord);
const recordsRead = listOf(Number.POSITIVE_INFINITY, isRecord);
const idList = (most: number) => listOf(most, isText);
const deletedKeys = z.object({ deletedKeys: idList(Number.POSITIVE_INFINITY) });
const saved = z.object({
  added: z.number(),
  updated: z.number(),
  deleted: z.number(),
  unchanged: z.number(),
  /** Ids that stood more than once in the batch; the first occurrence was kept. */
  duplicates: idList(MOST_RECORDS),
});
const sync = z.object({ name: z.string(), variant: z.string() });
const textOrList = z.union([z.string(), idList(MOST_HEADERS)]).exactOptional();

const httpBody = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal(['json', 'form', 'text']), text: z.string() }),
  z.object({ kind: z.literal('bytes'), bytes }),
  z.object({
    kind: z.literal('multipart'),
    parts: upTo(
      MOST_PARTS,
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

const httpAnswer = z.object({
  status: z.number(),
  statusText: z.string(),
  headers: answeredHeaders,
  /** Text or bytes, as `expect` asked. */
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
      /** Query: text appended as is, or pairs set one by one (arrays already joined, undefined already dropped). */
      params: z.union([z.string(), textMap(MOST_PARAMS)]).exactOptional(),
      /** Already encoded by the guest: text (JSON, form, plain), bytes, or multipart parts. */
      body: httpBody.exactOptional(),
      retries: z.number().exactOptional(),
      retryOn: listOf(MOST_STATUSES, isFiniteNumber).exactOptional(),
      retryHeader: z.object({ at: textOrList, after: textOrList }).exactOptional(),
      decompress: flag,
      forwardHeadersOnRedirect: flag,
      /** How the guest wants the body back: `bytes` for arraybuffer, else text. */
      expect: z.literal(['text', 'bytes']),
    }),
    answer: httpAnswer.extend({ config: z.object({ method: z.string(), url: z.string(), headers }) }),
    awaited: ['get', 'post', 'put', 'patch', 'delete', 'proxy'],
    dryRun: 'real',
  },
  'http.uncontrolledFetch': {
    args: z.object({ url: z.string(), method: z.string(), headers, body: z.string().nullable() }),
    answer: httpAnswer.extend({ url: z.string() }),
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
    answer: object,
    awaited: ['getConnection', 'getMetadata', 'getFieldMapping'],
    dryRun: 'own',
    recorded: { getConnection: 'required', getMetadata: 'required' },
  },
  /** Both answer the body of `POST` and `PATCH /connections/metadata`. */
  'metadata.set': {
    args: z.object({ metadata: object }),
    answer: object,
    awaited: ['setMetadata', 'setFieldMapping'],
    dryRun: 'own',
  },
  'metadata.update': {
    args: z.object({ metadata: object }),
    answer: object,
    awaited: ['updateMetadata'],
    dryRun: 'own',
    recorded: { updateMetadata: 'optional' },
  },
  'integration.get': { args: z.object({ include: listOf(10, isText) }), answer: object, dryRun: 'real' },
  'environment.variables': {
    args: none,
    answer: z.array(z.object({ name: z.string(), value: z.string() })),
    awaited: ['getEnvironmentVariables'],
    dryRun: 'real',
  },
  /** `input` and `output` are JSON text. A failure rejects with `response.body` holding the body of functions.md 6.4. */
  'action.trigger': {
    args: z.object({ ...connection, actionName: z.string(), input: z.string().exactOptional() }),
    answer: z.object({ output: z.string() }),
    awaited: ['triggerAction'],
    dryRun: 'real',
  },
  'sync.trigger': {
    args: z.object({ ...connection, sync, reset: z.boolean(), emptyCache: z.boolean() }),
    answer: nothing,
    awaited: ['triggerSync'],
    dryRun: 'own',
  },
  'sync.start': {
    args: z.object({
      providerConfigKey: z.string(),
      syncs: upTo(MOST_SYNCS, sync),
      connectionId: z.string().exactOptional(),
    }),
    answer: nothing,
    awaited: ['startSync'],
    dryRun: 'memory',
  },
  'records.save': {
    args: z.object({ model, records: recordList }),
    answer: saved,
    awaited: ['batchSave', 'batchSend'],
    dryRun: 'memory',
  },
  'records.update': {
    args: z.object({ model, records: recordList }),
    answer: saved,
    awaited: ['batchUpdate'],
    dryRun: 'memory',
  },
  'records.delete': {
    args: z.object({ model, ids: idList(MOST_RECORDS) }),
    answer: saved,
    awaited: ['batchDelete'],
    dryRun: 'memory',
  },
  /** Absent ids are absent. */
  'records.getByIds': {
    args: z.object({ model, ids: idList(MOST_RECORDS_READ) }),
    answer: z.object({ records: recordsRead }),
    dryRun: 'real',
  },
  'records.list': {
    args: z.object({ model, cursor: z.string().exactOptional(), limit: z.int().min(1).max(MOST_RECORDS_READ) }),
    answer: z.object({ records: recordsRead, nextCursor: z.string().nullable() }),
    dryRun: 'real',
  },
  'records.setMergingStrategy': {
    args: z.object({ model, strategy: z.literal(['override', 'ignore_if_modified_after']) }),
    answer: nothing,
    awaited: ['setMergingStrategy'],
    dryRun: 'memory',
  },
  'records.trackDeletesStart': {
    args: z.object({ model }),
    answer: nothing,
    awaited: ['trackDeletesStart'],
    dryRun: 'memory',
    recorded: { trackDeletesStart: 'optional' },
  },
  'records.trackDeletesEnd': {
    args: z.object({ model }),
    answer: deletedKeys,
    awaited: ['trackDeletesEnd'],
    dryRun: 'memory',
    recorded: { trackDeletesEnd: 'optional' },
  },
  'records.deleteFromPreviousExecutions': {
    args: z.object({ model }),
    answer: deletedKeys,
    awaited: ['deleteRecordsFromPreviousExecutions'],
    dryRun: 'memory',
    recorded: { deleteRecordsFromPreviousExecutions: 'optional' },
  },
  'checkpoint.get': { args: none, answer: object.nullable(), dryRun: 'memory' },
  'checkpoint.save': {
    args: z.object({ checkpoint: object }),
    answer: nothing,
    awaited: ['saveCheckpoint'],
    dryRun: 'memory',
  },
  'checkpoint.clear': { args: none, answer: nothing, awaited: ['clearCheckpoint'], dryRun: 'memory' },
  'lock.acquire': {
    args: z.object({ key: z.string().min(1).max(255), ttlMs: z.number().positive() }),
    answer: z.boolean(),
    awaited: ['tryAcquireLock'],
    dryRun: 'memory',
  },
  'lock.release': {
    args: z.object({ key: z.string().min(1).max(255) }),
    answer: z.boolean(),
    awaited: ['releaseLock'],
    dryRun: 'memory',
  },
  'lock.releaseAll': { args: none, answer: nothing, awaited: ['releaseAllLocks'], dryRun: 'memory' },
} as const satisfies Record<string, HostMethodRow>;

export type HostMethodTable = typeof HOST_METHODS;

export function isHostMethod(name: unknown): name is keyof HostMethodTable {
  return typeof name === 'string' && Object.hasOwn(HOST_METHODS, name);
}

/** Members of the context object that the compiler wants awaited. */
export function awaitedMembers(): string[] {
  const rows: HostMethodRow[] = Object.values(HOST_METHODS);
  return rows.flatMap(({ awaited = [] }) => awaited);
}

/** One record on its way: `json` is its JSON text with `id` made a string and `_nango_metadata` removed. */
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

/** A plain object: neither a list nor one of the classes that a structured clone carries. */
function isObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/**
 * Lists and maps are counted first and checked by hand: a schema per item costs a batch of records a tenth of its
 * time, and writes an issue for each of a million wrong items.
 */
function listOf<T>(most: number, isItem: (value: unknown) => value is T) {
  return z.custom<T[]>(
    (value) => {
      if (!Array.isArray(value) || value.length > most) return false;
      // By index: `every` passes over the holes of a sparse list.
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
