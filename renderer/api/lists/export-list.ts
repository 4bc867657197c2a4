import { csvLine, csvOfObjects } from '../../lib/csv.ts';
import { toApiError } from '../api-error.ts';
import { type ExportedList, exportPath } from '../contract.ts';
import { requestUrl } from '../request.ts';
import { sessionHeader } from '../session-token.ts';

/** `sqlite` is for records. */
export type ExportFormat = 'csv' | 'json' | 'ndjson' | 'sqlite';

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  sqlite: 'application/vnd.sqlite3',
};

interface ExportOptions {
  list: ExportedList;
  params?: Record<string, string>;
  query: Record<string, unknown>;
  format: ExportFormat;
  /** Rows so far, and of how many. */
  onProgress: (rows: number, total: number) => void;
  signal: AbortSignal;
}

/** Every row of the filter as a file, taken in as the server sends it; never as one text. */
export async function exportList({ list, params, query, format, onProgress, signal }: ExportOptions): Promise<Blob> {
  const isFile = format === 'sqlite';
  const url = requestUrl(exportPath(list), { params, query: isFile ? { ...query, format } : query });
  const response = await fetch(url, { headers: sessionHeader(), credentials: 'same-origin', signal });
  if (!response.ok || !response.body) throw toApiError(response.status, await response.json().catch(() => null));
  const total = Number(response.headers.get('x-total-count'));
  if (isFile) {
    const file = await response.blob();
    onProgress(total, total);
    return file;
  }
  const parts: string[] = [];
  const write = writerOf(format, parts);
  let rows = 0;
  for await (const lines of linesOf(response.body)) {
    for (const line of lines) write(line);
    rows += lines.length;
    onProgress(rows, total);
  }
  if (format === 'json') parts.push(rows === 0 ? '[]\n' : '\n]\n');
  return new Blob(parts, { type: TYPES[format] });
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

function writerOf(format: ExportFormat, parts: string[]): (line: string) => void {
  let names: string[] | undefined;
  return (line) => {
    if (format === 'ndjson') parts.push(`${line}\n`);
    else if (format === 'json') parts.push(parts.length === 0 ? `[\n${line}` : `,\n${line}`);
    else {
      const { payload, ...row } = JSON.parse(line) as Record<string, unknown>;
      // A record's own members are columns too.
      const flat = typeof payload === 'object' && payload !== null ? { ...payload, ...row } : row;
      names ??= Object.keys(flat);
      if (parts.length === 0) parts.push(csvLine([...names, 'more']));
      parts.push(csvOfObjects(names, flat));
    }
  };
}
