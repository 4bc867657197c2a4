import { csvLine, csvOfObjects } from '../../lib/csv.ts';
import { type ExportedList, exportPath } from '../contract.ts';
import { send } from '../request.ts';

/** `sqlite` is for records. */
type ExportFormat = 'csv' | 'json' | 'ndjson' | 'sqlite';

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  sqlite: 'application/vnd.sqlite3',
};

export interface ListExportOptions {
  list: ExportedList;
  params?: Record<string, string>;
  query: Record<string, unknown>;
  format: ExportFormat;
  /** Rows so far, and of how many. */
  onProgress: (rows: number, total: number) => void;
  signal: AbortSignal;
}

/** Every row of the filter as a file, taken in as the server sends it; never as one text. */
export async function readExport({
  list,
  params,
  query,
  format,
  onProgress,
  signal,
}: ListExportOptions): Promise<Blob> {
  const isFile = format === 'sqlite';
  const response = await send(
    'GET',
    exportPath(list),
    { params, query: isFile ? { ...query, format } : query },
    signal,
  );
  const total = Number(response.headers.get('x-total-count'));
  if (isFile) {
    const file = await response.blob();
    onProgress(total, total);
    return file;
  }
  const file = new FileParts();
  const write = writerOf(format, file);
  let rows = 0;
  for await (const lines of linesOf(response.body ?? new Blob().stream())) {
    for (const line of lines) write(line);
    rows += lines.length;
    onProgress(rows, total);
  }
  if (format === 'json') file.add(rows === 0 ? '[]\n' : '\n]\n');
  return file.join(TYPES[format]);
}

const PIECE_CHARACTERS = 1_048_576;

/** Text of a file that grows. The browser keeps what is in a Blob outside of the memory of the page. */
class FileParts {
  readonly #pieces: Blob[] = [];
  #texts: string[] = [];
  #characters = 0;

  get isEmpty(): boolean {
    return this.#characters === 0 && this.#pieces.length === 0;
  }

  add(text: string): void {
    this.#texts.push(text);
    this.#characters += text.length;
    if (this.#characters < PIECE_CHARACTERS) return;
    this.#pieces.push(new Blob(this.#texts));
    this.#texts = [];
    this.#characters = 0;
  }

  join(type: string): Blob {
    return new Blob([...this.#pieces, ...this.#texts], { type });
  }
}

/** The lines of each piece that arrives. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = (rest + piece.value).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [rest];
}

function writerOf(format: ExportFormat, file: FileParts): (line: string) => void {
  let names: string[] | undefined;
  return (line) => {
    if (format === 'ndjson') file.add(`${line}\n`);
    else if (format === 'json') file.add(file.isEmpty ? `[\n${line}` : `,\n${line}`);
    else {
      const { payload, ...row } = JSON.parse(line) as Record<string, unknown>;
      // A record's own members are columns too. Those that are named like a column of the row are in the last one.
      const members = typeof payload === 'object' && payload !== null ? Object.entries(payload) : [];
      const flat = { ...Object.fromEntries(members), ...row };
      const hidden = members.filter(([name]) => name !== 'id' && name in row);
      names ??= Object.keys(flat);
      if (file.isEmpty) file.add(csvLine([...names, 'more']));
      file.add(csvOfObjects(names, flat, hidden));
    }
  };
}
