import { hash } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ReadHandle } from '../../platform/database/database.ts';
import { type RecordSealer, sealContext } from '../../records/records.service.ts';
import type { RecordSourceStore, SourceModel, SourceRecord, SourceStream } from '../record-source.store.ts';
import { HUB_SCHEMA } from '../sql-text.contract.ts';
import type { ColumnCache } from './column-cache.ts';
import { columnsOfSchema, columnsOfStructure, type ModelColumn } from './model-columns.ts';
import {
  definitionOf,
  isPresent,
  type ModelTable,
  modelColumns,
  modelKey,
  NOT_LOADED,
  quotedName,
  tableColumns,
} from './model-table.ts';
import { pagesOf, upTo } from './record-pages.ts';
import { createTableCopies } from './table-copies.ts';

const BEFORE_ALL = { externalId: '', updatedAt: -1 };
/** Stands in no JSON text: there it is escaped. */
const BETWEEN_LINES = '\u001e';
/** Characters after which the engine compresses what it holds. */
const COMPRESSED_AT_ONCE = 64_000_000;
/**
 * A column of nulls with an index, which holds nothing. The engine merges groups of rows when it compresses a table without
 * an index, and has all their texts in memory then: 284 MB instead of 76 for records of 1 kB.
 */
const UNMERGED = '_unmerged';
/** Records from which the columns of a model without a schema are found. */
const SAMPLE = 1000;
const TAKEN_SCHEMAS = new Set([
  HUB_SCHEMA,
  'main',
  'pg_catalog',
  'information_schema',
  'temp',
  'system',
  'memory',
  'data',
]);

type IsNamed = (schema: string, view: string) => boolean;

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** The views of records: one for each model of an integration, and one of its earlier versions. */
export function createRecordTables({
  connection,
  db,
  store,
  sealer,
  cache,
}: {
  connection: DuckDBConnection;
  db: ReadHandle;
  store: RecordSourceStore;
  sealer: RecordSealer;
  /** Sealed copies of tables with at least so many rows; null: there are none. */
  cache: { files: ColumnCache; environmentId: number; leastRows: number } | null;
}) {
  const copies = cache && createTableCopies({ connection, db, store, ...cache, makeTable, follow, readUntil });
  const tables = new Map<string, ModelTable>();
  let created = 0;
  /** Characters since the engine compressed what it holds. */
  let inserted = 0;

  /** The payloads of a batch in clear, one JSON text for each record. */
  function linesOf(stream: SourceStream, records: readonly SourceRecord[]): string {
    return records
      .map(({ externalId, createdAt, updatedAt, isDeleted, sealed }) => {
        const payload = sealed === null ? 'null' : sealer.open(sealed, sealContext(stream.id, externalId));
        return `{"i":${JSON.stringify(externalId)},"c":${createdAt},"u":${updatedAt},"d":${isDeleted === 1},"p":${payload}}`;
      })
      .join(BETWEEN_LINES);
  }

  /** A statement that makes the rows of a table of the model from the texts of records (`linesOf`), its one parameter. */
  function rowsOf(model: ModelTable, stream: SourceStream): string {
    const { columns, hasSchema } = model;
    const members = Object.fromEntries(columns.map(({ member, type }) => [member, type]));
    // The whole record beside its members is read once more only where no schema says what is in it.
    const shape = { i: 'VARCHAR', c: 'BIGINT', u: 'BIGINT', d: 'BOOLEAN', p: hasSchema ? members : 'JSON' };
    const own = hasSchema
      ? columns.map(({ member }) => `r.p.${quotedName(member)}`)
      : [...columns.map(({ member }) => `m.${quotedName(member)}`), 'r.p'];
    const values = [...own, `${stream.id}::BIGINT`, 'r.i', 'make_timestamptz(r.c)', 'make_timestamptz(r.u)', 'r.d'];
    const named = tableColumns(model).map(({ name }, index) => `${values[index]} AS ${quotedName(name)}`);
    // A text for each record is parsed in less than half of the time of one list with all of them.
    const parsed = `SELECT from_json(line, ${text(JSON.stringify(shape))}) AS r FROM (SELECT unnest(string_split($1, chr(30))) AS line)`;
    const source = hasSchema
      ? parsed
      : `SELECT r, from_json(r.p, ${text(JSON.stringify(members))}) AS m FROM (${parsed})`;
    return `SELECT ${named.join(', ')} FROM (${source})`;
  }

  async function insert(table: string, model: ModelTable, stream: SourceStream, lines: string): Promise<void> {
    await connection.run(`INSERT INTO data.${table} BY NAME ${rowsOf(model, stream)}`, [lines]);
    inserted += lines.length;
    if (inserted < COMPRESSED_AT_ONCE) return;
    inserted = 0;
    await connection.run('CHECKPOINT data');
  }

  /**
   * Writes pages of records in their order. While the engine takes one page, the next is opened and the one after that is
   * read, each on a thread of its own.
   */
  async function writePages(
    stream: SourceStream,
    pages: AsyncIterable<SourceRecord[]>,
    write: (lines: string, records: SourceRecord[]) => Promise<void>,
  ): Promise<void> {
    let written: Promise<void> = Promise.resolve();
    try {
      for await (const records of pages) {
        const lines = linesOf(stream, records);
        await written;
        written = write(lines, records);
        // It is awaited below; until then its failure must not end the process.
        written.catch(() => {});
      }
    } finally {
      await written;
    }
  }

  async function makeTable(model: ModelTable): Promise<void> {
    const columns = tableColumns(model)
      .map(({ name, type }) => `${quotedName(name)} ${type}`)
      .join(', ');
    const own = modelColumns(model).map(({ name }) => `r.${quotedName(name)}`);
    const ownPresent = modelColumns(model).map(({ name, type }) =>
      isPresent(model, name) ? `r.${quotedName(name)}` : `error(${text(NOT_LOADED)})::${type} AS ${quotedName(name)}`,
    );
    const place = [
      ...[
        'r._id',
        's.connection AS _connection',
        's.variant AS _variant',
        's.end_user AS _end_user',
        's.tags AS _tags',
      ],
      ...['r._first_seen', 'r._last_changed', 'r._deleted'],
    ];
    const from = (table: string): string => `FROM data.${table} AS r JOIN data.streams AS s ON s.id = r._stream`;
    const versions = `${model.table}_versions`;
    for (const table of [model.table, versions])
      await connection.run(
        `CREATE OR REPLACE TABLE data.${table} (${columns}, ${UNMERGED} BOOLEAN); CREATE INDEX ${table}_unmerged ON data.${table} (${UNMERGED})`,
      );
    await connection.run(`CREATE SCHEMA IF NOT EXISTS ${quotedName(model.schema)}`);
    await connection.run(
      `CREATE OR REPLACE VIEW ${quotedName(model.schema)}.${quotedName(model.view)} AS SELECT ${[...ownPresent, ...place].join(', ')} ${from(model.table)}`,
    );
    await connection.run(
      `CREATE OR REPLACE VIEW ${quotedName(model.schema)}.${quotedName(`${model.view}_history`)} AS SELECT ${[...own, ...place].join(', ')},
         r._last_changed AS valid_from,
         LEAD(r._last_changed) OVER (PARTITION BY r._stream, r._id ORDER BY r._last_changed) AS valid_to ${from(versions)}`,
    );
    model.loaded.clear();
    model.isFresh = true;
    model.changedSinceCopy = undefined;
  }

  /** Whether the table has the `wanted` columns (in lower case; null: all). */
  const isLoaded = (model: ModelTable, wanted: ReadonlySet<string> | null): boolean =>
    !model.isFresh &&
    modelColumns(model).every(({ name }) => isPresent(model, name) || (wanted && !wanted.has(name.toLowerCase())));

  /** Follows a model with at least the `wanted` columns: from its copy, or else its records. */
  async function bring(model: ModelTable, wanted: ReadonlySet<string> | null): Promise<void> {
    if (isLoaded(model, wanted)) return follow(model);
    const needed = wanted && new Set([...wanted, ...(model.isFresh ? [] : (model.present ?? []))]);
    if (await fillFromCopy(model, needed)) return;
    model.present = null;
    await makeTable(model);
    model.isFresh = false;
    await follow(model);
  }

  /** Resolves to false when the model is small, or copies cannot be written. */
  async function fillFromCopy(model: ModelTable, needed: ReadonlySet<string> | null): Promise<boolean> {
    if (!copies) return false;
    if (await copies.fill(model, needed)) return true;
    if (!(await copies.isLarge(model))) return false;
    try {
      await copies.build(model, () => false);
    } catch (error) {
      // The disk refuses it; the records are read instead, and the next try to write a copy says why there is none.
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      return false;
    }
    return copies.fill(model, needed);
  }

  async function readUntil(
    model: ModelTable,
    stream: SourceStream,
    until: number,
    use: (page: { rows: string; parameter: string; count: number }) => Promise<void>,
  ): Promise<void> {
    const rows = rowsOf(model, stream);
    const pages = pagesOf((after, limit) => store.listChanged(db, stream.id, after?.updatedAt ?? 0, limit));
    await writePages(stream, upTo(pages, until), (parameter, records) =>
      use({ rows, parameter, count: records.length }),
    );
  }

  /** Follows the streams of a model: what is gone goes, what changed since the last time is replaced. */
  async function follow(model: ModelTable): Promise<void> {
    const target = `data.${model.table}`;
    for (const [id, { prunedUntil }] of model.loaded) {
      const stream = model.streams.find((one) => one.id === id);
      if (stream?.prunedUntil === prunedUntil) continue;
      await connection.run(`DELETE FROM ${target} WHERE _stream = ${id}`);
      model.loaded.delete(id);
    }
    for (const stream of model.streams) {
      // Of a stream that is read the first time only what changes meanwhile is there already.
      const isNewUntil = model.loaded.has(stream.id) ? 0 : await store.findNewest(db, stream.id);
      const from = model.loaded.get(stream.id)?.stamp ?? 0;
      const pages = pagesOf((after, limit) => store.listChanged(db, stream.id, after?.updatedAt ?? from, limit));
      await writePages(stream, pages, async (lines, records) => {
        if ((records.at(-1)?.updatedAt ?? 0) > isNewUntil)
          await connection.run(
            `DELETE FROM ${target} WHERE _stream = ${stream.id} AND _id IN (SELECT unnest(from_json($1, '["VARCHAR"]')))`,
            [JSON.stringify(records.map(({ externalId }) => externalId))],
          );
        await insert(model.table, model, stream, lines);
        if (model.changedSinceCopy !== undefined) model.changedSinceCopy += records.length;
        model.loaded.set(stream.id, { stamp: records.at(-1)?.updatedAt ?? from, prunedUntil: stream.prunedUntil });
      });
    }
  }

  /** Versions are pruned and cut at any place, so they are read anew. */
  async function loadVersions(model: ModelTable): Promise<void> {
    const table = `${model.table}_versions`;
    await connection.run(`DELETE FROM data.${table}`);
    for (const stream of model.streams.filter(({ historySince }) => historySince > 0)) {
      const write = (lines: string): Promise<void> => insert(table, model, stream, lines);
      const versions = pagesOf((after, limit) => store.listVersions(db, stream.id, after ?? BEFORE_ALL, limit));
      await writePages(stream, versions, write);
      const unchanged = pagesOf((after, limit) => store.listUnchanged(db, stream.id, after?.updatedAt ?? 0, limit));
      await writePages(stream, unchanged, write);
    }
  }

  async function sampleColumns(streams: readonly SourceStream[]): Promise<ModelColumn[]> {
    const texts: string[] = [];
    for (const stream of streams) {
      const records = await store.listChanged(db, stream.id, 0, SAMPLE - texts.length);
      for (const { externalId, sealed } of records)
        if (sealed) texts.push(sealer.open(sealed, sealContext(stream.id, externalId)));
      if (texts.length >= SAMPLE) break;
    }
    if (texts.length === 0) return [];
    const reader = await connection.runAndReadAll(
      `SELECT json_group_structure(j) FROM (SELECT unnest(from_json($1, '["JSON"]')) AS j)`,
      [`[${texts.join(',')}]`],
    );
    return columnsOfStructure(JSON.parse(String(reader.getRows()[0]?.[0] ?? '{}')));
  }

  return {
    /**
     * Makes the views of all models as they are now, without their records. `streams` are those of the connections in
     * scope.
     */
    async describe(models: readonly SourceModel[], streams: readonly SourceStream[]): Promise<void> {
      const seen = new Set<string>();
      const schemas = new Map<string, string>();
      const views = new Set<string>();
      const definitionsOf = new Map(models.map((one) => [modelKey(one), one.definitions] as const).reverse());
      const named = [...new Map([...models, ...streams].map((one) => [modelKey(one), one])).values()];
      for (const { integrationKey, model } of named.sort((a, b) => (modelKey(a) < modelKey(b) ? -1 : 1))) {
        const key = modelKey({ integrationKey, model });
        seen.add(key);
        const ofModel = streams.filter((one) => one.integrationKey === integrationKey && one.model === model);
        const schema =
          schemas.get(integrationKey) ??
          freeName(
            integrationKey,
            new Set([...TAKEN_SCHEMAS, ...[...schemas.values()].map((name) => name.toLowerCase())]),
          );
        schemas.set(integrationKey, schema);
        const view = freeName(model, views, `${schema}.`);
        views.add(`${schema}.${view}`.toLowerCase()).add(`${schema}.${view}_history`.toLowerCase());
        const definitions = definitionsOf.get(key);
        const parsed = definitions === undefined ? {} : (JSON.parse(definitions) as Record<string, unknown>);
        const fromSchema = columnsOfSchema(parsed[model], parsed);
        const known = tables.get(key);
        const definition = JSON.stringify([schema, view, fromSchema ?? null]);
        // A model without a schema gets its columns when it has its first records.
        const isCurrent =
          known?.definition === definition && (known.hasSchema || known.columns.length > 0 || ofModel.length === 0);
        if (known && isCurrent) {
          known.streams = ofModel;
          continue;
        }
        created += 1;
        const made: ModelTable = {
          table: known?.table ?? `m${created}`,
          integrationKey,
          model,
          schema,
          view,
          definition,
          columns: fromSchema ?? (await sampleColumns(ofModel)),
          hasSchema: fromSchema !== undefined,
          loaded: new Map(),
          isFresh: true,
          present: null,
          changedSinceCopy: undefined,
          streams: ofModel,
        };
        tables.set(key, made);
        await makeTable(made);
      }
      for (const [key, gone] of tables) {
        if (seen.has(key)) continue;
        tables.delete(key);
        for (const name of [gone.view, `${gone.view}_history`])
          await connection.run(`DROP VIEW IF EXISTS ${quotedName(gone.schema)}.${quotedName(name)}`);
        for (const name of [gone.table, `${gone.table}_versions`])
          await connection.run(`DROP TABLE IF EXISTS data.${name}`);
      }
    },
    /** Whether `load` would read a model the first time, or once more for further columns. */
    needLoading: (isNamed: IsNamed, wanted: ReadonlySet<string> | null): boolean =>
      [...tables.values()].some((model) => isNamed(model.schema, model.view) && !isLoaded(model, wanted)),
    /** Reads these, not at one moment; `load` then reads what changed meanwhile. */
    async loadFirst(isNamed: IsNamed, wanted: ReadonlySet<string> | null): Promise<void> {
      for (const model of tables.values())
        if (isNamed(model.schema, model.view) && !isLoaded(model, wanted)) await bring(model, wanted);
    },
    /**
     * Loads what changed of the models for which `isNamed` returns true, with at least the `wanted` columns (in lower
     * case; null: all). Resolves to their integrations.
     */
    async load(isNamed: IsNamed, wanted: ReadonlySet<string> | null): Promise<string[]> {
      const integrations = new Set<string>();
      for (const model of tables.values()) {
        const isRecords = isNamed(model.schema, model.view);
        const isHistory = isNamed(model.schema, `${model.view}_history`);
        if (isRecords) await bring(model, wanted);
        if (isHistory) await loadVersions(model);
        if (isRecords || isHistory) integrations.add(model.integrationKey);
      }
      return [...integrations];
    },
    /** By schema and view: a text that changes with the rows or columns of the view of a model (not of its history). */
    async marks(): Promise<Map<string, string>> {
      const places = new Map(
        (await connection.runAndReadAll('SELECT id, connection, variant, end_user, tags FROM data.streams'))
          .getRows()
          .map((row) => [Number(row[0]), row.slice(1)]),
      );
      const marks = new Map<string, string>();
      for (const model of tables.values()) {
        const ids = model.streams.map(({ id }) => id);
        const stamps = new Map((await store.listLastStamps(db, ids)).map(({ id, stamp }) => [id, stamp]));
        const streams = model.streams.map(({ id, prunedUntil }) => [id, prunedUntil, stamps.get(id), places.get(id)]);
        marks.set(`${model.schema}.${model.view}`, hash('sha256', definitionOf(model) + JSON.stringify(streams)));
      }
      return marks;
    },
    /** Writes the copies that are missing or old. */
    async saveCopies(isStopped: () => boolean): Promise<void> {
      for (const model of tables.values()) {
        if (!copies || isStopped()) return;
        if (await copies.isWorthIt(model)) await copies.build(model, isStopped);
      }
    },
  };
}

/** The name, or with a number when another one differs in upper and lower case only. */
function freeName(name: string, taken: ReadonlySet<string>, prefix = ''): string {
  const isTaken = (candidate: string): boolean => taken.has(`${prefix}${candidate}`.toLowerCase());
  let free = name;
  for (let number = 2; isTaken(free); number += 1) free = `${name}_${number}`;
  return free;
}
