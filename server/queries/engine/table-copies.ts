import type { DuckDBConnection } from '@duckdb/node-api';
import type { ReadHandle } from '../../platform/database/database.ts';
import { type RecordSourceStore, type SourceStream, STAMP_MODULUS } from '../record-source.store.ts';
import type { ColumnCache } from './column-cache.ts';
import {
  definitionOf,
  isPresent,
  type ModelTable,
  modelColumns,
  modelKey,
  ROW_COLUMNS,
  tableColumns,
} from './model-table.ts';

/** Part of the rows that may have changed before a copy is written anew. */
const STALE_SHARE = 0.05;
/** Times that the changes are followed before a copy that differs from the records is given up: a sync may be writing. */
const TRIES = 3;

class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/** Fills the tables of models from their sealed copies, and writes these. */
export function createTableCopies({
  connection,
  db,
  store,
  files,
  environmentId,
  leastRows,
  makeTable,
  follow,
  readUntil,
}: {
  connection: DuckDBConnection;
  db: ReadHandle;
  store: RecordSourceStore;
  files: ColumnCache;
  environmentId: number;
  leastRows: number;
  makeTable: (model: ModelTable) => Promise<void>;
  follow: (model: ModelTable) => Promise<void>;
  /** Pages of a stream up to a change: a statement that makes rows of its one parameter. */
  readUntil: (
    model: ModelTable,
    stream: SourceStream,
    until: number,
    use: (page: { rows: string; parameter: string; count: number }) => Promise<void>,
  ) => Promise<void>;
}) {
  async function isAsStored(model: ModelTable): Promise<boolean> {
    const stored = await store.sumStreams(
      db,
      model.streams.map(({ id }) => id),
    );
    const reader = await connection.runAndReadAll(
      `SELECT _stream, count(*), sum(epoch_us(_last_changed) % ${STAMP_MODULUS})::BIGINT FROM data.${model.table} GROUP BY 1 ORDER BY 1`,
    );
    const held = reader.getRows().map((row) => row.map(Number));
    return JSON.stringify(held) === JSON.stringify(stored.map(({ id, rows, sum }) => [id, rows, sum]));
  }

  return {
    /**
     * Resolves to true when the table holds what the records say. A copy is believed only when, after the changes since
     * then, each stream has as many records and the same times of changes as in the hub's database: times are unique there.
     */
    async fill(model: ModelTable, needed: ReadonlySet<string> | null): Promise<boolean> {
      model.present = needed;
      await makeTable(model);
      const columns = [...modelColumns(model).filter(({ name }) => isPresent(model, name)), ...ROW_COLUMNS];
      const streams = await files.load(modelKey(model), `data.${model.table}`, definitionOf(model), columns);
      if (!streams) return false;
      for (const { id, ...at } of streams) model.loaded.set(id, at);
      model.changedSinceCopy = 0;
      for (let tries = 0; tries < TRIES; tries += 1) {
        await follow(model);
        if (await isAsStored(model)) {
          model.isFresh = false;
          return true;
        }
      }
      await files.remove(modelKey(model));
      return false;
    },
    /** Whether a copy saves more than it costs. */
    async isLarge({ streams }: ModelTable): Promise<boolean> {
      const ids = streams.map(({ id }) => id);
      return (await store.sumStreams(db, ids)).reduce((total, { rows }) => total + rows, 0) >= leastRows;
    },
    /** Whether the table is large, and has no copy or an old one. */
    async isWorthIt({ changedSinceCopy = Number.POSITIVE_INFINITY, isFresh, table }: ModelTable): Promise<boolean> {
      if (isFresh) return false;
      const reader = await connection.runAndReadAll(`SELECT count(*) FROM data.${table}`);
      const rows = Number(reader.getRows()[0]?.[0]);
      return rows >= leastRows && changedSinceCopy > Math.max(leastRows, rows * STALE_SHARE);
    },
    /**
     * Writes the copy of a model from its records, with all columns. Only a block is held at a time, so a model may be
     * larger than the engine's memory. Resolves to false when `isStopped` ended it.
     */
    async build(model: ModelTable, isStopped: () => boolean): Promise<boolean> {
      const { streams } = model;
      const stamps = await store.listLastStamps(
        db,
        streams.map(({ id }) => id),
      );
      const until = new Map(stamps.map(({ id, stamp }) => [id, stamp ?? 0]));
      const copy = await files.startCopy({
        columns: tableColumns(model),
        definition: definitionOf(model),
        model: modelKey(model),
        streams: streams.map(({ id, prunedUntil }) => ({ id, prunedUntil, stamp: until.get(id) ?? 0 })),
      });
      try {
        for (const stream of streams)
          await readUntil(model, stream, until.get(stream.id) ?? 0, async ({ rows, parameter, count }) => {
            if (isStopped()) throw new StoppedError();
            await copy.add(rows, parameter, count);
          });
        await copy.finish();
      } catch (error) {
        await copy.abandon();
        if (error instanceof StoppedError) return false;
        throw error;
      }
      model.changedSinceCopy = 0;
      // The hub removes files with deleted records; it could not see this one before.
      const current = new Map((await store.listStreams(db, environmentId)).map((one) => [one.id, one.prunedUntil]));
      if (streams.some(({ id, prunedUntil }) => current.get(id) !== prunedUntil)) await files.remove(modelKey(model));
      return true;
    },
  };
}
