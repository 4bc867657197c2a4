import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { BrokenFile, type FileRow, MARKS, MAX_ROW_BYTES } from './file-rows.ts';

const SEPARATORS = [',', ';', '\t'];
const HEAD_BYTES = 64 * 1024;

/** Null for a cell without anything; a text of no characters stands in quotes. */
export type CsvCell = string | null;

/** Rows of a table (RFC 4180) with the names of its columns on the first line; commas, semicolons or tabs between cells. */
export async function* csvRows(path: string): AsyncGenerator<FileRow> {
  const parser = parse({
    bom: true,
    delimiter: await separatorOf(path),
    info: true,
    max_record_size: MAX_ROW_BYTES,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    // Only quotes tell a text of no characters from nothing.
    cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
  });
  const source = createReadStream(path);
  const reading = pipeline(source, utf8Check(), parser);
  // The parser ends with the same error, which the loop throws.
  reading.catch(() => undefined);
  let names: string[] | undefined;
  let row = 0;
  let last = { lines: 0, empty_lines: 0 };
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: CsvCell[]; info: typeof last }>) {
      const line = last.lines + 1 + info.empty_lines - last.empty_lines;
      last = { lines: info.lines, empty_lines: info.empty_lines };
      if (!names) {
        names = namesOf(record);
        continue;
      }
      row += 1;
      const found =
        record.length === names.length
          ? { value: Object.fromEntries(names.map((name, index) => [name, record[index] ?? null])) }
          : {
              problem: { column: null, message: `has ${record.length} cells, and the first line has ${names.length}` },
            };
      yield { row, line, ...found };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new BrokenFile(problemOf(error), Number(error['lines'] ?? last.lines + 1));
  } finally {
    source.destroy();
  }
  if (!names) throw new BrokenFile('The file is empty. Its first line names the columns.');
}

/** The separator that the first line has most of, outside of quotes. */
async function separatorOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const wide = MARKS.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark));
    if (wide) throw new BrokenFile(`The file is ${wide[0]}. Save it as CSV in UTF-8.`, 1);
    const head =
      bytes
        .toString('utf8')
        .replace(/"[^"]*"/g, '')
        .trimStart()
        .split(/\r?\n/, 1)[0] ?? '';
    return SEPARATORS.reduce((best, one) => (head.split(one).length > head.split(best).length ? one : best));
  } finally {
    await file.close();
  }
}

function namesOf(cells: readonly CsvCell[]): string[] {
  const names = cells.map((cell) => (cell ?? '').trim());
  const empty = names.indexOf('');
  if (empty !== -1) throw new BrokenFile(`Column ${empty + 1} has no name on the first line.`, 1);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new BrokenFile(`Two columns are named "${twice}".`, 1);
  return names;
}

/** Ends the reading at bytes that are no UTF-8, which the parser would replace. */
function utf8Check(): Transform {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        decoder.decode(chunk, { stream: true });
        done(null, chunk);
      } catch {
        done(new BrokenFile('The file is not UTF-8 text. Save it as CSV in UTF-8.'));
      }
    },
  });
}

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A quote that opens here is not closed.',
  INVALID_OPENING_QUOTE:
    'A quote stands inside a cell that does not begin with one. Put the whole cell into quotes and double the quotes in it.',
  CSV_INVALID_CLOSING_QUOTE: 'Text follows a closing quote. Double the quotes that belong to the cell.',
  CSV_MAX_RECORD_SIZE: 'The row is longer than 32 MB.',
};

const problemOf = ({ code, message }: CsvError): string => PROBLEMS[code] ?? message;
