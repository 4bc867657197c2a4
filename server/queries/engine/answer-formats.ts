import type { DuckDBDateValue, DuckDBResult, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import {
  Bool,
  type DataType,
  DateDay,
  Field,
  Float64,
  Int64,
  makeBuilder,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { QueryColumn } from '../queries.contract.ts';
import { QueryError } from './query-error.ts';
import { jsonOf } from './value-json.ts';

const WHOLE_NUMBER = /^(BIGINT|U?INTEGER|U?SMALLINT|U?TINYINT)$/;

/** One JSON object a row, a line each. */
async function* jsonPieces(
  columns: readonly QueryColumn[],
  result: DuckDBResult,
  count: number,
): AsyncGenerator<Buffer> {
  const types = result.columnTypes();
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  for await (const rows of rowsOf(result, count)) {
    const lines = rows.map(
      (row) => `{${row.map((value, index) => keys[index] + JSON.stringify(jsonOf(value, types[index]))).join(',')}}\n`,
    );
    yield Buffer.from(lines.join(''));
  }
}

/** RFC 4180, with the names of the columns first; nested values are JSON texts, nulls are empty. */
async function* csvPieces(
  columns: readonly QueryColumn[],
  result: DuckDBResult,
  count: number,
): AsyncGenerator<Buffer> {
  const types = result.columnTypes();
  yield Buffer.from(`${columns.map(({ name }) => csvField(name)).join(',')}\r\n`);
  for await (const rows of rowsOf(result, count))
    yield Buffer.from(
      rows.map((row) => `${row.map((value, index) => csvField(jsonOf(value, types[index]))).join(',')}\r\n`).join(''),
    );
}

function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The stream form of Arrow IPC. What Arrow has no plain type for is text, nested values are JSON texts. */
async function* arrowPieces(
  columns: readonly QueryColumn[],
  result: DuckDBResult,
  count: number,
): AsyncGenerator<Buffer> {
  const types = result.columnTypes();
  const fields = columns.map(({ name, type }) => new Field(name, arrowType(type), true));
  const schema = new Schema(fields);
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  const pending: Uint8Array[] = [];
  const reading = (async () => {
    for await (const piece of writer) pending.push(piece as Uint8Array);
  })();
  for await (const rows of rowsOf(result, count)) {
    const children = fields.map(({ type }, column) => {
      if (type instanceof TimestampMicrosecond) return timesOf(rows, column, type);
      const builder = makeBuilder({ type, nullValues: [null] });
      for (const row of rows) builder.append(arrowValue(row[column] ?? null, type, types[column]));
      return builder.finish().flush();
    });
    writer.write(new RecordBatch(schema, makeData({ type: new Struct(fields), length: rows.length, children })));
    await Promise.resolve();
    for (const piece of pending.splice(0)) yield Buffer.from(piece);
  }
  writer.finish();
  await reading;
  for (const piece of pending.splice(0)) yield Buffer.from(piece);
}

/** The builder of the library takes milliseconds, and would drop the rest. */
function timesOf(rows: readonly DuckDBValue[][], column: number, type: TimestampMicrosecond) {
  const data = new BigInt64Array(rows.length);
  const nullBitmap = new Uint8Array(Math.ceil(rows.length / 8));
  rows.forEach((row, index) => {
    const value = row[column] as { micros: bigint } | null;
    if (value === null) return;
    data[index] = value.micros;
    nullBitmap[index >> 3] = (nullBitmap[index >> 3] ?? 0) | (1 << (index & 7));
  });
  const nullCount = rows.filter((row) => row[column] === null).length;
  return makeData({ type, length: rows.length, nullCount, nullBitmap, data });
}

function arrowType(type: string): DataType {
  if (type === 'BOOLEAN') return new Bool();
  if (WHOLE_NUMBER.test(type)) return new Int64();
  if (type === 'DOUBLE' || type === 'FLOAT') return new Float64();
  if (type === 'DATE') return new DateDay();
  if (type === 'TIMESTAMP WITH TIME ZONE') return new TimestampMicrosecond('UTC');
  return type === 'TIMESTAMP' ? new TimestampMicrosecond() : new Utf8();
}

function arrowValue(value: DuckDBValue, type: DataType, from: DuckDBType | undefined): unknown {
  if (value === null) return null;
  if (type instanceof Int64) return BigInt(value as bigint | number);
  if (type instanceof Bool || type instanceof Float64) return value;
  if (type instanceof DateDay) return new Date(`${String(value)}T00:00:00Z`);
  const plain = jsonOf(value, from);
  return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

/** Rows of one group of a Parquet file: a group is encoded at once, in memory. */
const GROUP_ROWS = 16_384;

/** A Parquet file, compressed with Snappy. What it has no plain type for is text, nested values are JSON. */
async function* parquetPieces(
  columns: readonly QueryColumn[],
  result: DuckDBResult,
  count: number,
): AsyncGenerator<Buffer> {
  const types = result.columnTypes();
  const elements = columns.map(({ name, type }) => ({
    name,
    repetition_type: 'OPTIONAL' as const,
    ...parquetType(type),
  }));
  const sink = new ByteWriter();
  const writer = new ParquetWriter({
    writer: sink,
    schema: [{ name: 'root', num_children: elements.length }, ...elements],
    createdBy: 'homeport',
  });
  /** What was written since the last time. */
  const taken = (): Buffer => {
    const bytes = Buffer.from(sink.getBytes());
    sink.index = 0;
    return bytes;
  };
  let group: DuckDBValue[][] = [];
  const writeGroup = (): void => {
    const columnData = columns.map(({ name, type }, column) => ({
      name,
      data: group.map((row) => parquetValue(row[column] ?? null, type, types[column])),
    }));
    if (group.length > 0) writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    group = [];
  };
  for await (const rows of rowsOf(result, count)) {
    group.push(...rows);
    if (group.length < GROUP_ROWS) continue;
    writeGroup();
    yield taken();
  }
  writeGroup();
  writer.finish();
  yield taken();
}

function parquetType(type: string) {
  if (type === 'BOOLEAN') return { type: 'BOOLEAN' } as const;
  if (WHOLE_NUMBER.test(type)) return { type: 'INT64' } as const;
  if (type === 'DOUBLE' || type === 'FLOAT') return { type: 'DOUBLE' } as const;
  if (type === 'DATE') return { type: 'INT32', converted_type: 'DATE' } as const;
  if (type === 'TIMESTAMP' || type === 'TIMESTAMP WITH TIME ZONE')
    return {
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: type !== 'TIMESTAMP', unit: 'MICROS' },
    } as const;
  return { type: 'BYTE_ARRAY', converted_type: type === 'JSON' ? 'JSON' : 'UTF8' } as const;
}

function parquetValue(value: DuckDBValue, type: string, from: DuckDBType | undefined): unknown {
  if (value === null || type === 'BOOLEAN' || type === 'DOUBLE' || type === 'FLOAT') return value;
  if (WHOLE_NUMBER.test(type)) return BigInt(value as bigint | number);
  if (type === 'DATE') return (value as DuckDBDateValue).days;
  if (type === 'TIMESTAMP' || type === 'TIMESTAMP WITH TIME ZONE') return (value as { micros: bigint }).micros;
  const plain = jsonOf(value, from);
  return type === 'JSON' || typeof plain === 'string' ? plain : JSON.stringify(plain);
}

export const ANSWER_PIECES = { ndjson: jsonPieces, csv: csvPieces, arrow: arrowPieces, parquet: parquetPieces };

/** A stream that fails, for example without memory, only ends: the binding does not say why. */
async function* rowsOf(result: DuckDBResult, count: number): AsyncGenerator<DuckDBValue[][]> {
  let read = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    read += chunk.rowCount;
    yield chunk.getRows();
  }
  if (read < count)
    throw new QueryError('query_failed', `The query failed after ${read.toLocaleString('en')} of its rows.`);
}
