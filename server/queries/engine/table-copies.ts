import type { DuckDBConnection } from '@duckdb/node-api';
import type { ReadHandle } from '../../platform/database/database.ts';
import { type RecordSourceStore, STAMP_MODULUS } from '../record-source.store.ts';
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

/** Fills the tables of models from their sealed copies, and writes these. */
export function createTableCopies({
  connection,
  db,
  store,
  files,
  leastRows,
  makeTable,
  follow,
}: {
  connection: DuckDBConnection;
  db: ReadHandle;
  store: RecordSourceStore;
  files: ColumnCache;
  leastRows: number;
  makeTable: (model: ModelTable) => Promise<void>;
  follow: (model: ModelTable) => Promise<void>;
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
    /** Whether the table is large, and has no copy or an old one. */
    async isWorthIt({ changedSinceCopy = Number.POSITIVE_INFINITY, isFresh, table }: ModelTable): Promise<boolean> {
      if (isFresh) return false;
      const reader = await connection.runAndReadAll(`SELECT count(*) FROM data.${table}`);
      const rows = Number(reader.getRows()[0]?.[0]);
      return rows >= leastRows && changedSinceCopy > Math.max(leastRows, rows * STALE_SHARE);
    },
    /** Writes the copy of a table with all columns. */
    async write(model: ModelTable, environmentId: number, isStopped: () => boolean): Promise<void> {
      const streams = [...model.loaded].map(([id, at]) => ({ id, ...at }));
      const isWritten = await files.write(
        {
          columns: tableColumns(model),
          definition: definitionOf(model),
          model: modelKey(model),
          streams,
          table: `data.${model.table}`,
        },
        isStopped,
      );
      if (!isWritten) return;
      model.changedSinceCopy = 0;
      // The hub removes files with deleted records; it could not see this one before.
      const current = new Map((await store.listStreams(db, environmentId)).map((one) => [one.id, one.prunedUntil]));
      if (streams.some(({ id, prunedUntil }) => current.get(id) !== prunedUntil)) await files.remove(modelKey(model));
    },
  };
}
