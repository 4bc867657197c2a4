import { createSecretKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { allowsIntegration } from '../../environments/allowed-connections.contract.ts';
import { openReader } from '../../platform/database/database.ts';
import { systemClock } from '../../platform/lib/clock.ts';
import { createRecordSealer } from '../../records/records.service.ts';
import type { QueryColumn, QueryValue, QueryView } from '../queries.contract.ts';
import { RecordSourceStore } from '../record-source.store.ts';
import { HUB_SCHEMA } from '../sql-text.contract.ts';
import { ANSWER_PIECES } from './answer-formats.ts';
import { createColumnCache, isOutOfMemory } from './column-cache.ts';
import type { EngineSettings, FromEngine, MarkedView, QueryRequest, ToEngine } from './engine-messages.ts';
import { createHubFollower } from './hub-follower.ts';
import { createHubTables } from './hub-tables.ts';
import { NOT_LOADED } from './model-table.ts';
import { QueryError } from './query-error.ts';
import { readStatement } from './read-statement.ts';
import { createRecordTables } from './record-tables.ts';

/**
 * The process of the query engine: DuckDB in memory. It reads the hub's database by a handle that cannot write, opens
 * the records in its scope and answers statements. DuckDB has no files, no network and no extensions here.
 */

type Engine = Awaited<ReturnType<typeof openEngine>>;

/**
 * How much the process may take beside the engine's own memory, and how often that is looked at. Files in memory (Node and
 * the engine itself, 84 MB) are not counted: with the engine's 360 MB the whole process stays at 500.
 */
const BESIDE_ENGINE_MB = 56;
const FILES_MB = 84;
const WATCH_MS = 50;
/** The database file is read once, so mapping it would only make the process larger. */
const MAPPED_BYTES = 0;
/** Without a query for this long, copies are written. */
const COPY_AFTER_MS = 500;

const answers = new Map<number, AsyncIterator<Buffer>>();
const running = new Map<number, { interrupt: () => void; isCancelled: boolean }>();
let engine: Promise<Engine> | undefined;
/** Statements run one after the other: each has the whole memory. */
let turn: Promise<unknown> = Promise.resolve();

async function openEngine(settings: EngineSettings) {
  const { database, recordKey, memoryMb, threads, copies, ...scope } = settings;
  const source = await openReader(database, undefined, MAPPED_BYTES);
  const key = createSecretKey(recordKey);
  recordKey.fill(0);
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${memoryMb}MB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("ATTACH ':memory:' AS data (COMPRESS)");
  await connection.run(
    "SET GLOBAL TimeZone = 'UTC'; SET temp_directory = ''; SET enable_external_access = false; SET lock_configuration = true",
  );
  const connections = [connection, await instance.connect()] as const;
  const cache = copies && {
    files: createColumnCache({ clock: systemClock, connections, folder: copies.folder, recordKey: key }),
    environmentId: scope.environmentId,
    leastRows: copies.leastRows,
  };
  const store = new RecordSourceStore();
  const sealer = createRecordSealer({ key: () => key, random: randomBytes });
  const records = createRecordTables({ connection, db: source, store, sealer, cache });
  const hub = createHubTables({ connection, db: source, store, scope });
  const listModels = async () =>
    (await store.listModels(source, scope.environmentId)).filter(
      ({ integrationKey }) => scope.allowed === null || allowsIntegration(scope.allowed, integrationKey),
    );
  watchMemory(memoryMb);
  return {
    instance,
    connection,
    memoryMb,
    follow: createHubFollower({ db: source, hub, listModels, records }),
    records,
  };
}

/** Some aggregates do not keep to the engine's limit, so the whole process has one; the next query gets a new process. */
function watchMemory(memoryMb: number): void {
  setInterval(() => {
    if (ownMemoryMb() <= memoryMb + BESIDE_ENGINE_MB) return;
    const { code, message } = tooMuchMemory(memoryMb);
    for (const id of running.keys()) send({ kind: 'error', id, code, message, isLast: true });
    // Everything that was sent has been written when the channel closes.
    process.disconnect();
  }, WATCH_MS).unref();
}

/** Without files in memory; the system says how much that is, or else it is estimated. */
function ownMemoryMb(): number {
  try {
    const anonymous = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'));
    if (anonymous) return Number(anonymous[1]) / 1000;
  } catch {
    // Only Linux has this file.
  }
  return process.memoryUsage.rss() / 1e6 - FILES_MB;
}

/** Answers with the columns that the statement names; when it reads others all the same, with all. */
async function answer(id: number, request: QueryRequest): Promise<FromEngine> {
  try {
    return await answerWith(id, request, request.isStreamed ? 'all' : 'named');
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes(NOT_LOADED)) throw error;
    return answerWith(id, request, 'all');
  }
}

async function answerWith(
  id: number,
  { sql, params, format, mostRows, timeoutMs, isOverRecordsOnly, isStreamed }: QueryRequest,
  columnsWanted: 'named' | 'all',
): Promise<FromEngine> {
  const open = await requireEngine();
  const [[serialized] = []] = (
    await open.connection.runAndReadAll(
      'SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true)',
      [sql],
    )
  ).getRows();
  const { tables, words } = readStatement(String(serialized));
  const named = new Set(tables.map(({ schema = 'main', name }) => `${schema}.${name}`.toLowerCase()));
  if (isOverRecordsOnly && tables.some(({ schema }) => schema?.toLowerCase() === HUB_SCHEMA))
    throw new QueryError('query_refused', `Only records can be read here, not the views of "${HUB_SCHEMA}".`);
  const isNamed = (schema: string, view: string): boolean => named.has(`${schema}.${view}`.toLowerCase());
  const integrations = await open.follow(isNamed, columnsWanted === 'all' ? null : words);

  const connection = await open.instance.connect();
  const state = { interrupt: () => connection.interrupt(), isCancelled: running.get(id)?.isCancelled ?? false };
  running.set(id, state);
  if (state.isCancelled) throw new QueryError('query_failed', 'The query was cancelled.');
  let isLate = false;
  /** A stream needs its connection until it ends. */
  let isKept = false;
  const limit = setTimeout(() => {
    isLate = true;
    connection.interrupt();
  }, timeoutMs);
  try {
    const begun = performance.now();
    const statement = await prepare(connection, sql, params);
    // A connection has one answer at a time.
    const counted = isStreamed ? await countRows(connection, sql, params) : undefined;
    const whole = isStreamed ? undefined : await statement.run();
    const result = whole ?? (await statement.stream());
    const rowCount = whole?.rowCount ?? counted ?? 0;
    if (rowCount > mostRows)
      throw new QueryError(
        'query_too_large',
        `The query returns ${rowCount.toLocaleString('en')} rows, and ${mostRows.toLocaleString('en')} are allowed. Add LIMIT, aggregate, or ask with a larger "limit".`,
      );
    const columns = columnsOf(result);
    const pieces = ANSWER_PIECES[format];
    const rows = pieces(columns, result, rowCount);
    answers.set(id, isStreamed ? untilEnd(rows, () => connection.closeSync()) : rows[Symbol.asyncIterator]());
    isKept = isStreamed === true;
    return {
      kind: 'answer',
      id,
      columns,
      rowCount,
      durationMs: Math.round(performance.now() - begun),
      integrations,
    };
  } catch (error) {
    if (isLate)
      throw new QueryError(
        'query_too_large',
        `The query took longer than ${timeoutMs / 1000} s. Filter before a join, or read fewer rows.`,
      );
    throw explained(error, open.memoryMb);
  } finally {
    clearTimeout(limit);
    if (!isKept) connection.closeSync();
  }
}

async function* untilEnd(pieces: AsyncIterable<Buffer>, close: () => void): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } finally {
    close();
  }
}

/** Nothing changes the tables before the rows are read: statements wait for their turn. */
async function countRows(connection: DuckDBConnection, sql: string, params: QueryRequest['params']): Promise<number> {
  const counting = `SELECT count(*) FROM (${sql.replace(/(?<![;\s])[;\s]+$/, '')}\n)`;
  const result = await (await prepare(connection, counting, params)).run();
  return Number((await result.getRows())[0]?.[0]);
}

async function prepare(connection: DuckDBConnection, sql: string, params: QueryRequest['params']) {
  const statement = await connection.prepare(sql);
  const given = Array.isArray(params) ? params.length : Object.keys(params).length;
  if (given !== statement.parameterCount)
    throw new QueryError(
      'query_failed',
      `The statement has ${statement.parameterCount} placeholders, and ${given} values came in "params".`,
    );
  if (given === 0) return statement;
  const values = Array.isArray(params)
    ? params.map(engineValueOf)
    : Object.fromEntries(Object.entries(params).map(([name, value]) => [name, engineValueOf(value)]));
  try {
    statement.bind(values);
  } catch (error) {
    throw new QueryError('query_failed', `A value of "params" fits no placeholder: ${(error as Error).message}`);
  }
  return statement;
}

/** Whole numbers are BIGINT, as in the columns of the views. */
const engineValueOf = (value: QueryValue): DuckDBValue =>
  typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;

function columnsOf(result: DuckDBResult): QueryColumn[] {
  const types = result.columnTypes();
  return result.deduplicatedColumnNames().map((name, index) => ({ name, type: typeName(types[index]) }));
}

const typeName = (type: DuckDBType | undefined): string => type?.alias ?? String(type);

/** Errors of the engine keep its own words, which name the place in the statement. */
function explained(error: unknown, memoryMb: number): unknown {
  if (error instanceof QueryError || !(error instanceof Error)) return error;
  const { message } = error;
  if (isOutOfMemory(error)) return tooMuchMemory(memoryMb);
  if (message.startsWith('Permission Error'))
    return new QueryError(
      'query_refused',
      'A query reads the views of this environment and nothing else: no files and no network.',
    );
  return new QueryError('query_failed', message);
}

const tooMuchMemory = (memoryMb: number): QueryError =>
  new QueryError(
    'query_too_large',
    `The query needs more than ${memoryMb} MB. Read fewer columns or rows, filter before a join, or aggregate.`,
  );

async function listViews(): Promise<MarkedView[]> {
  const open = await requireEngine();
  await open.follow(() => false);
  const reader = await open.connection.runAndReadAll(
    `SELECT v.schema_name, v.view_name, c.column_name, c.data_type FROM duckdb_views() AS v
     JOIN duckdb_columns() AS c ON c.schema_name = v.schema_name AND c.table_name = v.view_name AND c.database_name = v.database_name
     WHERE v.database_name = 'memory' AND NOT v.internal ORDER BY v.schema_name, v.view_name, c.column_index`,
  );
  const views = new Map<string, QueryView>();
  for (const [schema, name, column, type] of reader.getRows().map((row) => row.map(String)) as string[][]) {
    const key = JSON.stringify([schema, name]);
    const view = views.get(key) ?? { schema: schema ?? '', name: name ?? '', columns: [] };
    view.columns.push({ name: column ?? '', type: type ?? '' });
    views.set(key, view);
  }
  const marks = await open.records.marks();
  return [...views.values()].map((view) => ({ ...view, mark: marks.get(`${view.schema}.${view.name}`) }));
}

let copyTimer: NodeJS.Timeout | undefined;

/** Writes copies of large tables when no query waits; the next one ends it. */
function saveCopiesSoon(): void {
  clearTimeout(copyTimer);
  copyTimer = setTimeout(() => {
    const isStopped = (): boolean => running.size > 0;
    const work = turn.then(async () => {
      await (await requireEngine()).records.saveCopies(isStopped);
    });
    turn = work.catch((error: unknown) => {
      // Queries work without copies; the hub's log says why there are none.
      send({ kind: 'warning', id: 0, message: error instanceof Error ? error.message : String(error) });
    });
  }, COPY_AFTER_MS).unref();
}

function requireEngine(): Promise<Engine> {
  if (!engine) throw new Error('The engine is not open.');
  return engine;
}

async function handle(message: ToEngine): Promise<void> {
  if (message.kind === 'open') {
    engine = openEngine(message.settings);
    await engine;
    return;
  }
  const { id } = message;
  if (message.kind === 'cancel') {
    await answers.get(id)?.return?.();
    answers.delete(id);
    const state = running.get(id);
    if (state) {
      state.isCancelled = true;
      state.interrupt();
    }
    return;
  }
  if (message.kind === 'next') {
    const { value, done } = (await answers.get(id)?.next()) ?? { value: undefined, done: true };
    if (done) answers.delete(id);
    send({ kind: 'piece', id, bytes: done ? null : (value as Buffer) });
    return;
  }
  if (message.kind === 'query') running.set(id, { interrupt: () => {}, isCancelled: false });
  const work = turn.then(async () =>
    message.kind === 'views' ? { kind: 'views' as const, id, views: await listViews() } : answer(id, message.request),
  );
  turn = work.catch(() => {});
  send(await work);
}

function send(message: FromEngine): void {
  process.send?.(message);
}

process.on('message', (message: ToEngine) => {
  handle(message)
    .catch((error: unknown) => {
      const id = 'id' in message ? message.id : 0;
      const code = error instanceof QueryError ? error.code : null;
      send({ kind: 'error', id, code, message: error instanceof Error ? error.message : String(error) });
    })
    .finally(() => {
      if (message.kind !== 'query') return;
      running.delete(message.id);
      saveCopiesSoon();
    });
});
// An orderly end would wait for a statement that is running.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
