import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { ImportFormat, ImportResult, RowProblem } from '../../imports/imports.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT, fileFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import { headersOfConnection, locateConnection } from '../hub/find-connection.ts';
import { type HubClient, parseHubJson } from '../hub/hub-client.ts';
import { count } from '../project/compile-project.ts';

export interface ImportRecordsOptions {
  environment: string;
  integrationId?: string;
  variant?: string;
  format?: ImportFormat;
  fromConnection?: string;
  sendWebhook?: boolean;
  dryRun?: boolean;
}

const BY_ENDING: Readonly<Record<string, ImportFormat>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.parquet': 'parquet',
  '.json': 'json',
};
const SHOWN_PROBLEMS = 20;

interface Order {
  hub: HubClient;
  file: Blob;
  headers: Record<string, string>;
  query: Record<string, string>;
}

/** Tries the import, shows what it would do, asks, and imports. */
export async function importRecords(
  context: CliContext,
  [name, model, connectionId]: [file: string, model: string, connectionId: string],
  options: ImportRecordsOptions,
): Promise<void> {
  const { terminal } = context;
  const path = resolve(context.cwd, name);
  const isPacked = extname(path).toLowerCase() === '.gz';
  const format = options.format ?? BY_ENDING[extname(isPacked ? path.slice(0, -3) : path).toLowerCase()];
  if (format === undefined)
    throw new CliFailure(
      `The ending of ${name} says no format. Add --format ndjson, csv, parquet or json.`,
      EXIT.usage,
    );
  const file = await openFile(path);
  const hub = await context.hubs.open(options.environment);
  const connection = await locateConnection(context, hub, connectionId, options.integrationId);
  const order: Order = {
    hub,
    file,
    headers: {
      ...headersOfConnection(connection),
      'content-type': 'application/octet-stream',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    },
    query: {
      model,
      format,
      ...(options.variant === undefined ? {} : { variant: options.variant }),
      ...(options.fromConnection === undefined ? {} : { from_connection: options.fromConnection }),
      ...(options.sendWebhook ? { send_webhook: 'true' } : {}),
    },
  };
  const tried = await terminal.progress('checking', () => send(context, order, true));
  if (options.dryRun || tried.invalid > 0) terminal.printJson(tried);
  showCounts(context, tried);
  if (tried.invalid > 0) throw refused(context, tried);
  if (options.dryRun) return terminal.note(`Nothing was stored. ${webhookSentence(tried)}`);
  const { added, updated, deleted } = tried;
  const changes = added + updated + deleted;
  if (changes > 0)
    await confirm(
      context,
      `Import ${count(changes, 'change')} of ${model} into ${connectionId}? ${webhookSentence(tried)}`,
    );
  const done = changes > 0 ? await terminal.progress('importing', () => send(context, order, false)) : tried;
  terminal.printJson({ ...done, dry_run: false });
  terminal.print(
    changes === 0
      ? `Nothing to do: ${connectionId} already has these records.`
      : `${terminal.colors.green('✓')} ${done.added} added, ${done.updated} changed, ${done.deleted} deleted, ${done.unchanged} as before`,
  );
}

async function openFile(path: string): Promise<Blob> {
  try {
    if (!(await stat(path)).isFile()) throw new CliFailure(`${path} is not a file.`, EXIT.usage);
    return await openAsBlob(path);
  } catch (error) {
    throw fileFailure(error, path) ?? error;
  }
}

async function send(
  context: CliContext,
  { hub, file, headers, query }: Order,
  isDryRun: boolean,
): Promise<ImportResult> {
  const url = new URL(`${hub.baseUrl}/records/import`);
  url.search = new URLSearchParams({ ...query, dry_run: String(isDryRun) }).toString();
  const response = await hub.raw(url, { method: 'POST', headers, body: file, signal: context.signal });
  const body = parseHubJson(await response.text());
  if (response.ok) return body as ImportResult;
  throw hub.refusal(response.status, body);
}

function showCounts({ terminal }: CliContext, result: ImportResult): void {
  const { added, updated, deleted, unchanged, invalid, skipped, schema_of, columns } = result;
  terminal.table(
    ['ROWS', 'NEW', 'CHANGED', 'DELETED', 'UNCHANGED', 'SKIPPED', 'INVALID'],
    [[result.rows, added, updated, deleted, unchanged, skipped, invalid].map(String)],
  );
  terminal.note(
    schema_of === null
      ? 'No sync declares the model, so only ids were checked.'
      : `Checked against the model of the sync ${schema_of}.`,
  );
  if (schema_of === null && columns.length > 0)
    terminal.note(`Columns: ${columns.map(({ name, type }) => `${name} ${TYPE_WORDS[type] ?? 'text'}`).join(', ')}.`);
}

const TYPE_WORDS: Readonly<Record<string, string>> = { DOUBLE: 'number', BOOLEAN: 'yes or no', JSON: 'JSON' };

const webhookSentence = ({ webhook_of }: ImportResult): string =>
  webhook_of === null ? 'No webhook is sent.' : `The webhook of the sync ${webhook_of} is sent.`;

function refused({ terminal }: CliContext, { invalid, problems }: ImportResult): CliFailure {
  for (const problem of problems.slice(0, SHOWN_PROBLEMS)) terminal.note(problemText(problem));
  const rest = invalid - Math.min(problems.length, SHOWN_PROBLEMS);
  if (rest > 0) terminal.note(`${rest} more`);
  return new CliFailure(`${count(invalid, 'row')} cannot be imported. Nothing was stored.`);
}

/** As compilers write it: place, then what is wrong. */
function problemText({ row, line, column, message }: RowProblem): string {
  const place = line === null ? (row === null ? 'the file' : `row ${row}`) : `line ${line}`;
  return `${place}${column === null ? '' : `, ${column}`}: ${message}`;
}
