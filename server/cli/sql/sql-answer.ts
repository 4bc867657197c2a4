import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { QueryColumn, QueryFormat, QueryParams, QueryView } from '../../queries/queries.contract.ts';
import { sqlView } from '../../queries/sql-text.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { fileFailure } from '../cli-failure.ts';
import { type HubClient, hubRefusal, parseHubJson } from '../hub/hub-client.ts';

export type SqlFormat = QueryFormat | 'table';

interface SqlResult {
  columns: QueryColumn[];
  rows: Array<Record<string, unknown>>;
  row_count: number;
  duration_ms: number;
}

interface SqlRequest {
  sql: string;
  params?: QueryParams;
  limit?: number | undefined;
  /** Without a limit of rows. */
  stream?: boolean;
}

async function ask(
  { signal }: CliContext,
  hub: HubClient,
  { sql, params = [], limit, stream = false }: SqlRequest,
  format: QueryFormat,
): Promise<Response> {
  const response = await hub.raw(new URL(`${hub.baseUrl}/records/query`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql, params, format, stream, ...(limit === undefined ? {} : { limit }) }),
    signal,
  });
  if (!response.ok) throw hubRefusal(response.status, parseHubJson(await response.text()));
  return response;
}

/** Writes the rows into a Parquet file. Resolves to their number. */
export async function saveAnswer(context: CliContext, hub: HubClient, request: SqlRequest, file: string) {
  const response = await ask(context, hub, request, 'parquet');
  await save(file, response);
  return Number(response.headers.get('x-row-count'));
}

/** Asks the hub and writes the rows where they belong. */
export async function answer(
  context: CliContext,
  hub: HubClient,
  request: SqlRequest,
  { format, output }: { format: SqlFormat; output?: string | undefined },
): Promise<void> {
  const { terminal } = context;
  const asked = format === 'table' || terminal.isJson ? 'json' : format;
  const response = await ask(context, hub, request, asked);
  if (output !== undefined) {
    await save(resolve(context.cwd, output), response);
    const rows = Number(response.headers.get('x-row-count'));
    terminal.printJson({ file: resolve(context.cwd, output), row_count: rows });
    terminal.note(`${counted(rows)} written to ${output}.`);
    return;
  }
  if (asked !== 'json') {
    for await (const piece of response.body ?? []) await terminal.writeBytes(piece);
    return;
  }
  const text = await response.text();
  if (terminal.isJson || format === 'json') return terminal.printJsonText(text);
  const result = JSON.parse(text) as SqlResult;
  terminal.table(
    result.columns.map(({ name }) => name),
    result.rows.map((row) => result.columns.map(({ name }) => cell(row[name]))),
  );
  terminal.note(`${counted(result.row_count)}, ${result.duration_ms} ms`);
}

const counted = (rows: number): string => `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`;

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The file appears when it is complete; one of the same name stays until then. */
async function save(file: string, response: Response): Promise<void> {
  const draft = `${file}.${process.pid}.part`;
  try {
    await pipeline(Readable.from(response.body ?? []), createWriteStream(draft, { flags: 'wx', mode: 0o600 }));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw fileFailure(error) ?? error;
  }
}

export async function readViews(hub: HubClient): Promise<QueryView[]> {
  return (await hub.call<{ data: QueryView[] }>('GET', '/records/views')).data;
}

export function showViews(terminal: CliContext['terminal'], views: readonly QueryView[]): void {
  terminal.table(
    ['VIEW', 'COLUMNS'],
    views.map(({ columns, ...view }) => [sqlView(view), columns.map(({ name }) => name).join(', ')]),
  );
}
