import type { RecordInput, SaysTheSame } from '../records/records.service.ts';
import { csvRows } from './csv-rows.ts';
import { BrokenFile, type FileRow, jsonRows, ndjsonRows } from './file-rows.ts';
import type { ImportFormat, RowProblem } from './imports.contract.ts';
import { createRowReader } from './record-rows.ts';
import {
  type ColumnTypes,
  createTypeFinder,
  readCells,
  readNested,
  saysTheSame,
  typesOfSchema,
  withoutEmptyCells,
} from './table-columns.ts';

/** A record to save; `value` is the plain JSON value of its text. */
interface ImportSave extends RecordInput {
  value: Record<string, unknown>;
  at: Pick<RowProblem, 'row' | 'line'> & { row: number };
}

export interface ImportBatch {
  saves: ImportSave[];
  /** Ids. */
  deletes: string[];
  problems: RowProblem[];
  skipped: number;
  /** Rows of the file so far. */
  rows: number;
  /** Of records that come from a table: `saysTheSame` of them. */
  saysTheSame: SaysTheSame;
}

export interface RecordFile {
  /** Of the columns that the schema or a CSV file has. */
  types: ColumnTypes;
  batches(): AsyncGenerator<ImportBatch>;
}

interface FileOptions {
  path: string;
  format: ImportFormat;
  fromConnection: string | undefined;
  /** Of the model. */
  schema: Record<string, unknown> | undefined;
}

const BATCH_ROWS = 1000;
const BATCH_CHARACTERS = 4 * 1024 * 1024;
/** In characters, as for records of syncs (design.md 7.29). */
const MAX_ID_LENGTH = 2048;
const READERS = { ndjson: ndjsonRows, json: jsonRows, csv: csvRows, parquet: lateParquetRows };

/** Its library is loaded with the first such file. */
async function* lateParquetRows(path: string): AsyncGenerator<FileRow> {
  const { parquetRows } = await import('./parquet-rows.ts');
  yield* parquetRows(path);
}

/** Reads the records of a file in batches, with memory for one batch. Throws `BrokenFile`. */
export async function openRecordFile({ path, format, fromConnection, schema }: FileOptions): Promise<RecordFile> {
  const isTable = format === 'csv' || format === 'parquet';
  const types = format === 'csv' ? await typesOf(path, schema) : schema ? typesOfSchema(schema) : new Map();

  const valuesOf = (value: Record<string, unknown>): Record<string, unknown> => {
    if (format === 'csv') return readCells(value, types);
    return format === 'parquet' ? readNested(value, types) : value;
  };

  async function* batches(): AsyncGenerator<ImportBatch> {
    const meaningOf = createRowReader({ fromConnection });
    let batch = emptyBatch(0, isTable);
    let characters = 0;
    let rows = 0;
    for await (const found of READERS[format](path)) {
      rows = found.row;
      take(found);
      if (rows - batch.rows < BATCH_ROWS && characters < BATCH_CHARACTERS) continue;
      yield { ...batch, rows };
      batch = emptyBatch(rows, isTable);
      characters = 0;
    }
    yield { ...batch, rows };

    function take(found: FileRow): void {
      const at = { row: found.row, line: found.line };
      if ('problem' in found) return void batch.problems.push({ ...at, ...found.problem });
      const meaning = meaningOf(valuesOf(found.value));
      if (meaning.kind === 'skip') batch.skipped += 1;
      else if (meaning.kind === 'problem')
        batch.problems.push({ ...at, column: meaning.column, message: meaning.message });
      else {
        const id = idOf(meaning.id);
        if (id === undefined) batch.problems.push({ ...at, column: 'id', message: problemOfId(meaning.id) });
        else if (meaning.kind === 'delete') batch.deletes.push(id);
        else {
          if (meaning.isOfView) batch.saysTheSame = saysTheSame;
          const members =
            isTable || meaning.isOfView ? withoutEmptyCells(meaning.record, schema, types) : meaning.record;
          const json = JSON.stringify({ ...members, id });
          characters += json.length;
          batch.saves.push({ id, json, value: JSON.parse(json), at });
        }
      }
    }
  }

  return { types, batches };
}

function emptyBatch(rows: number, isTable: boolean): ImportBatch {
  return { saves: [], deletes: [], problems: [], skipped: 0, rows, saysTheSame: isTable ? saysTheSame : () => false };
}

/** A schema without members says nothing about columns. */
async function typesOf(path: string, schema: FileOptions['schema']): Promise<ColumnTypes> {
  const known = schema ? typesOfSchema(schema) : undefined;
  if (known && known.size > 0) return known;
  const finder = createTypeFinder();
  try {
    for await (const found of csvRows(path)) if ('value' in found) finder.note(found.value);
  } catch (error) {
    // The check of the rows comes to the same place, and says so.
    if (!(error instanceof BrokenFile)) throw error;
  }
  return finder.types;
}

/** Numbers keep their digits. */
function idOf(id: unknown): string | undefined {
  const text = JSON.isRawJSON(id) ? id.rawJSON : typeof id === 'number' ? String(id) : id;
  if (typeof text !== 'string') return undefined;
  const kept = text.replaceAll('\0', '');
  return kept.length > 0 && kept.length <= MAX_ID_LENGTH ? kept : undefined;
}

function problemOfId(id: unknown): string {
  if (id === undefined || id === null || id === '') return 'is missing: every record needs an id';
  if (typeof id !== 'string') return 'is neither a text nor a number';
  return `is longer than ${MAX_ID_LENGTH} characters`;
}
