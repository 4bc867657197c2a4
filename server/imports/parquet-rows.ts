import { type FileHandle, open } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, type Compressors, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { parseExactJson } from '../platform/lib/exact-json.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import { BrokenFile, type FileRow } from './file-rows.ts';

/** A group of rows is decoded at once, in memory. */
const MAX_GROUP_BYTES = 256 * 1024 * 1024;

const COMPRESSORS: Compressors = {
  GZIP: (input, maxOutputLength) => gunzipSync(input, { maxOutputLength }),
  BROTLI: (input, maxOutputLength) => brotliDecompressSync(input, { maxOutputLength }),
  ZSTD: (input, maxOutputLength) => zstdDecompressSync(input, { maxOutputLength }),
};

const text = new TextDecoder();

/** Times as ISO texts with all their digits, dates as such, JSON with all digits. */
const PARSERS = {
  timestampFromMilliseconds: (millis: bigint | null) => isoOf(millis === null ? null : BigInt(millis) * 1_000_000n),
  timestampFromMicroseconds: (micros: bigint | null) => isoOf(micros === null ? null : micros * 1000n),
  timestampFromNanoseconds: isoOf,
  dateFromDays: (days: number | null) =>
    days === null ? null : new Date(days * 86_400_000).toISOString().slice(0, 10),
  jsonFromBytes: (bytes: Uint8Array | null) => bytes && parseExactJson(text.decode(bytes)),
};

/** Rows of a Parquet file, uncompressed or compressed with Snappy, GZIP, Brotli or Zstandard. */
export async function* parquetRows(path: string): AsyncGenerator<FileRow> {
  const handle = await open(path);
  try {
    const file = bufferOf(handle, (await handle.stat()).size);
    const metadata = await readable(() => parquetMetadataAsync(file, { geoparquet: false }));
    const decimals = metadata.schema.filter(({ converted_type }) => converted_type === 'DECIMAL');
    let row = 0;
    for (const { num_rows, total_byte_size } of metadata.row_groups) {
      if (total_byte_size > MAX_GROUP_BYTES)
        throw new BrokenFile(
          `The rows after row ${row} are in a group of more than 256 MB. Write smaller groups of rows.`,
        );
      const rows = await readable(() =>
        parquetReadObjects({
          file,
          metadata,
          rowStart: row,
          rowEnd: row + Number(num_rows),
          compressors: COMPRESSORS,
          parsers: PARSERS,
          geoparquet: false,
        }),
      );
      for (const value of rows) {
        row += 1;
        for (const { name, scale } of decimals)
          if (typeof value[name] === 'number') value[name] = Number(value[name].toFixed(scale ?? 0));
        yield { row, line: null, ...jsonRow(value) };
      }
    }
  } finally {
    await handle.close();
  }
}

function bufferOf(handle: FileHandle, byteLength: number): AsyncBuffer {
  return {
    byteLength,
    async slice(start, end = byteLength) {
      const bytes = new Uint8Array(Math.max(0, end - start));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      return bytes.buffer.slice(0, bytesRead);
    },
  };
}

/** Every error of the reader is about the file. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('E')) throw error;
    throw new BrokenFile(
      `The file is not a Parquet file that can be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** The values of a row as JSON has them. */
function jsonRow(
  row: Record<string, unknown>,
): { value: Record<string, unknown> } | { problem: { column: string; message: string } } {
  const entries = Object.entries(row).map(([column, value]): [string, unknown] => [column, jsonOf(value)]);
  const endless = entries.find(([, value]) => value === undefined);
  if (endless) return { problem: { column: endless[0], message: 'is a number that JSON does not have' } };
  return { value: Object.fromEntries(entries) };
}

/** Undefined for numbers without end. */
function jsonOf(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : JSON.rawJSON(String(value));
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (ArrayBuffer.isView(value)) return [...(value as unknown as Iterable<unknown>)].map(jsonOf);
  if (Array.isArray(value)) return value.map(jsonOf);
  if (!isJsonObject(value) || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonOf(member)]));
}

/** An ISO time in UTC with three, six or nine digits of a second, as many as it needs. */
function isoOf(nanos: bigint | null): string | null {
  if (nanos === null) return null;
  const rest = ((nanos % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const iso = new Date(Number((nanos - rest) / 1_000_000n)).toISOString();
  if (rest === 0n) return iso;
  const digits = String(rest).padStart(6, '0').replace(/000$/, '');
  return iso.replace('Z', `${digits}Z`);
}
