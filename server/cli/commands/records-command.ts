import { type Command, Option } from 'commander';
import { localTime } from '../../platform/lib/local-time.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirmOption, environmentOption, integrationOption } from '../command-options.ts';
import { headersOfConnection, locateConnection, readCount } from '../hub/find-connection.ts';
import type { ImportRecordsOptions } from '../records/import-records.ts';

interface Options {
  environment: string;
  integrationId?: string;
  variant?: string;
  limit: string;
  cursor?: string;
  modifiedAfter?: string;
  filter?: string;
  ids?: string;
  all?: boolean;
}

interface HubRecord extends Record<string, unknown> {
  id: string;
  _nango_metadata: { last_action: string; last_modified_at: string; cursor: string };
}

interface Page {
  records: HubRecord[];
  next_cursor: string | null;
}

/** As many as the API gives at a time (http-api.md 11). */
const MOST = 10_000;
/** Members that a row of the list shows, and the characters of each. */
const SHOWN_MEMBERS = 3;
const SHOWN_LENGTH = 40;

export function addRecords(program: Command, context: CliContext): void {
  const parent = program.command('records').description('records that syncs have stored: list, query and import them');
  const add = (name: string): Command =>
    integrationOption(environmentOption(parent.command(name)), 'integration of the connection')
      .argument('<model>', 'such as Issue')
      .argument('<connection_id>')
      .option('-n, --limit <number>', `how many, ${MOST} at most`, '100')
      .option('--variant <name>', 'variant of the sync')
      .option('--filter <list>', 'only added, updated or deleted; separated by commas')
      .option('--ids <list>', 'only these records; separated by commas')
      .option('--modified-after <time>', 'only what changed since, such as 2026-01-31T00:00:00Z')
      .option('--cursor <cursor>', 'what follows this record, from an earlier answer')
      .option('--all', 'every page');
  add('list')
    .description('records of a model as a table, the longest unchanged first')
    .action((model: string, connection: string, options: Options) => list(context, model, connection, options));
  add('query')
    .description('whole records, one JSON document in each line')
    .addHelpText(
      'after',
      '\nThe API selects by id, by change (added, updated, deleted), by time and by position. It has no conditions on\nmembers, no order and no counts: take "homeport sql" for these, or --all and --jq.',
    )
    .action((model: string, connection: string, options: Options) => query(context, model, connection, options));
  addImport(parent, context);
}

function addImport(parent: Command, context: CliContext): void {
  const command = integrationOption(environmentOption(parent.command('import')), 'integration of the connection');
  confirmOption(command)
    .description('put the records of a file into a model of a connection: shows what changes, asks, stores')
    .argument('<file>', 'NDJSON, CSV, Parquet or JSON, also with .gz at its end')
    .argument('<model>', 'such as Issue')
    .argument('<connection_id>')
    .addOption(
      new Option('--format <format>', 'what the file is (default: by its ending)').choices([
        'ndjson',
        'csv',
        'parquet',
        'json',
      ]),
    )
    .option('--variant <name>', 'variant of the sync')
    .option('--from-connection <connection_id>', 'of a file with rows of several connections, only those of this one')
    .option('--send-webhook', 'send the webhook that a run of the sync would send')
    .option('--dry-run', 'only show what changes')
    .addHelpText(
      'after',
      '\nOne row that does not fit keeps the whole file out. Reads what "homeport records query", "homeport sql" and the\nexports of the dashboard write. The same file imported again changes nothing.',
    )
    .action(async (file: string, model: string, connection: string, options: ImportRecordsOptions) => {
      const { importRecords } = await import('../records/import-records.ts');
      await importRecords(context, [file, model, connection], options);
    });
}

async function list(context: CliContext, model: string, connection: string, options: Options): Promise<void> {
  const { terminal } = context;
  const page = await read(context, model, connection, options);
  terminal.printJson(page);
  if (page.records.length === 0) return terminal.note(nothing(model, options));
  terminal.table(
    ['RECORD', 'CHANGE', 'AT', 'CONTENT'],
    page.records.map(({ _nango_metadata, id, ...members }) => [
      id,
      _nango_metadata.last_action.toLowerCase(),
      localTime(_nango_metadata.last_modified_at),
      preview(members),
    ]),
  );
  noteMore(context, page);
}

async function query(context: CliContext, model: string, connection: string, options: Options): Promise<void> {
  const { terminal } = context;
  const page = await read(context, model, connection, options);
  terminal.printJson(page);
  if (page.records.length === 0) return terminal.note(nothing(model, options));
  for (const record of page.records) terminal.printValue(JSON.stringify(record));
  noteMore(context, page);
}

async function read(context: CliContext, model: string, connectionId: string, options: Options): Promise<Page> {
  const limit = readCount('--limit', options.limit, MOST);
  const modifiedAfter = options.modifiedAfter === undefined ? undefined : readTime(options.modifiedAfter);
  const hub = await context.hubs.open(options.environment);
  const connection = await locateConnection(context, hub, connectionId, options.integrationId);
  const query = {
    model,
    variant: options.variant,
    filter: options.filter,
    modified_after: modifiedAfter,
    ids: options.ids?.split(',').map((id) => id.trim()),
    limit: String(options.all ? MOST : limit),
  };
  const records: HubRecord[] = [];
  let cursor = options.cursor ?? null;
  do {
    const page: Page = await hub.call<Page>('GET', '/records', {
      query: { ...query, cursor: cursor ?? undefined },
      headers: headersOfConnection(connection),
    });
    records.push(...page.records);
    cursor = page.next_cursor;
  } while (options.all && cursor !== null);
  return { records, next_cursor: cursor };
}

function readTime(text: string): string {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new CliFailure(`--modified-after is not a time: ${text}. Write 2026-01-31 or an ISO time.`, EXIT.usage);
}

function nothing(model: string, { cursor, filter, ids, modifiedAfter }: Options): string {
  const isNarrowed = [cursor, filter, ids, modifiedAfter].some((value) => value !== undefined);
  return isNarrowed ? `No record of ${model} fits.` : `There are no records of ${model} on this connection.`;
}

function noteMore({ terminal }: CliContext, { next_cursor }: Page): void {
  if (next_cursor !== null) terminal.note(`There are more: --cursor ${next_cursor} continues, --all prints every one.`);
}

/** The first plain members, short: enough to recognise a record. */
function preview(members: Record<string, unknown>): string {
  return Object.entries(members)
    .filter(([name, value]) => name !== '_metadata' && value !== null && typeof value !== 'object')
    .slice(0, SHOWN_MEMBERS)
    .map(([name, value]) => `${name}: ${shortened(String(value).replaceAll(/\s+/g, ' '))}`)
    .join(', ');
}

const shortened = (text: string): string => (text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH - 1)}…` : text);
