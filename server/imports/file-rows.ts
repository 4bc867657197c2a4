import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { parseExactJson } from '../platform/lib/exact-json.ts';
import { findJsonExcess, MAX_JSON_DEPTH } from '../platform/lib/json-limits.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import { jsonErrorPosition } from '../platform/lib/parse-json.ts';
import type { RowProblem } from './imports.contract.ts';

/** One record of a file, with all digits; or why it cannot be read. */
export type FileRow = { row: number; line: number | null } & (
  | { value: Record<string, unknown> }
  | { problem: Pick<RowProblem, 'column' | 'message'> }
);

/** The rest of a file cannot be read. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile';
  readonly line: number | null;

  constructor(message: string, line: number | null = null) {
    super(message);
    this.line = line;
  }
}

/** Longest record, in bytes. */
export const MAX_ROW_BYTES = 32 * 1024 * 1024;
/** Largest JSON document, in bytes: it is read as a whole. */
const MAX_JSON_BYTES = 75 * 1024 * 1024;

export const MARKS: Array<[name: string, mark: Buffer]> = [
  ['UTF-16', Buffer.from([0xff, 0xfe])],
  ['UTF-16', Buffer.from([0xfe, 0xff])],
];

const NEWLINE = 0x0a;
const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A record a line; empty lines do not count. */
export async function* ndjsonRows(path: string): AsyncGenerator<FileRow> {
  let row = 0;
  let line = 0;
  for await (const bytes of linesOf(path)) {
    line += 1;
    const found = readLine(bytes);
    if (found === undefined) continue;
    row += 1;
    yield { row, line, ...found };
  }
}

/** A list of records, or an object whose member `records` is one: an answer of `GET /records`. */
export async function* jsonRows(path: string): AsyncGenerator<FileRow> {
  const { size } = await stat(path);
  if (size > MAX_JSON_BYTES)
    throw new BrokenFile('A JSON document is read as a whole, 75 MB at most. Write a record a line (NDJSON) instead.');
  const document = parseText(decode(await readFile(path), 'The file'));
  const list = Array.isArray(document) ? document : isJsonObject(document) ? document['records'] : undefined;
  if (!Array.isArray(list))
    throw new BrokenFile('The file is neither a list of records nor an object with the member "records".');
  for (const [index, value] of list.entries()) {
    const at = { row: index + 1, line: null };
    yield isJsonObject(value) ? { ...at, value } : { ...at, problem: notAnObject };
  }
}

const notAnObject = { column: null, message: 'is not a JSON object' };

function readLine(bytes: Buffer): { value: Record<string, unknown> } | { problem: typeof notAnObject } | undefined {
  try {
    // A byte order mark counts as space.
    const value = decode(bytes, 'It').trim();
    if (value === '') return undefined;
    const parsed = parseText(value);
    return isJsonObject(parsed) ? { value: parsed } : { problem: notAnObject };
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    return { problem: { column: null, message: error.message } };
  }
}

function decode(bytes: Buffer, what: string): string {
  const wide = MARKS.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark));
  if (wide) throw new BrokenFile(`${what} is ${wide[0]}. Save it as UTF-8.`);
  try {
    return text.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new BrokenFile(`${what} is not UTF-8 text.`);
    throw error;
  }
}

function parseText(json: string): unknown {
  if (findJsonExcess(json) === 'levels') throw new BrokenFile(`It nests more than ${MAX_JSON_DEPTH} levels.`);
  try {
    return parseExactJson(json.trim());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new BrokenFile(`It is not JSON${jsonErrorPosition(error)}.`);
  }
}

async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let line = 1;
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield parts.length === 0 ? chunk.subarray(start, end) : Buffer.concat([...parts, chunk.subarray(start, end)]);
      line += 1;
      parts = [];
      size = 0;
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > MAX_ROW_BYTES) throw new BrokenFile('The line is longer than 32 MB.', line);
  }
  yield Buffer.concat(parts);
}
