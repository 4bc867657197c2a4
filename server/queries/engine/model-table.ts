import type { SourceStream } from '../record-source.store.ts';
import type { CacheColumn } from './column-cache.ts';
import type { ModelColumn } from './model-columns.ts';

/** One model of an integration, in a table of its own that follows the changes of its records. */
export interface ModelTable {
  /** Of the table and its history, in the database `data`. */
  table: string;
  integrationKey: string;
  model: string;
  schema: string;
  view: string;
  /** Text of the definition: another one makes the table new. */
  definition: string;
  columns: ModelColumn[];
  /** True when the columns come from a schema; else there is a column with the whole record. */
  hasSchema: boolean;
  /** By stream: what was loaded up to now. */
  loaded: Map<number, { stamp: number; prunedUntil: number }>;
  /** Nothing was loaded yet. */
  isFresh: boolean;
  /** Names of columns that are loaded, in lower case; null: all. */
  present: ReadonlySet<string> | null;
  /** Changes since the copy was written; undefined without one. */
  changedSinceCopy: number | undefined;
  streams: SourceStream[];
}

/** What a column says that was left out, when a statement reads it nevertheless. */
export const NOT_LOADED = 'homeport: this column is not loaded';
/** Beside the columns of the model. */
export const ROW_COLUMNS: readonly CacheColumn[] = [
  { name: '_stream', type: 'BIGINT' },
  { name: '_id', type: 'VARCHAR' },
  { name: '_first_seen', type: 'TIMESTAMPTZ' },
  { name: '_last_changed', type: 'TIMESTAMPTZ' },
  { name: '_deleted', type: 'BOOLEAN' },
];

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const modelKey = ({ integrationKey, model }: { integrationKey: string; model: string }): string =>
  `${integrationKey}\0${model}`;

/** The columns that a model's records fill. */
export const modelColumns = ({ columns, hasSchema }: ModelTable): CacheColumn[] => [
  ...columns.map(({ name, type }) => ({ name, type })),
  ...(hasSchema ? [] : [{ name: '_record', type: 'JSON' }]),
];

export const tableColumns = (model: ModelTable): CacheColumn[] => [...modelColumns(model), ...ROW_COLUMNS];

export const isPresent = ({ present }: ModelTable, name: string): boolean => present?.has(name.toLowerCase()) ?? true;

export const definitionOf = ({ columns, hasSchema }: ModelTable): string => JSON.stringify([columns, hasSchema]);
