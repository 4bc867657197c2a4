import { extname } from 'node:path';
import type { QueryParams, SavedQueryView } from '../../queries/queries.contract.ts';
import { sqlValueOf } from '../../queries/sql-text.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { readCount } from '../hub/find-connection.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { answer, readViews, type SqlFormat, showViews } from './sql-answer.ts';

export interface SqlOptions {
  environment: string;
  format?: SqlFormat;
  output?: string;
  param?: string[];
  limit?: string;
  views?: boolean;
  saved?: string;
  list?: boolean;
  save?: string;
}

const MOST_ROWS = 1_000_000;
const BY_ENDING: Record<string, SqlFormat> = {
  '.csv': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.arrow': 'arrow',
  '.arrows': 'arrow',
  '.parquet': 'parquet',
};

/** Runs one statement, or a prompt when there is none and a person is at the terminal. */
export async function runSql(context: CliContext, statement: string | undefined, options: SqlOptions): Promise<void> {
  const { terminal } = context;
  const format = formatOf(context, options);
  const limit = options.limit === undefined ? undefined : readCount('--limit', options.limit, MOST_ROWS);
  const params = readParams(options.param ?? []);
  const hub = await context.hubs.open(options.environment);
  if (options.views) return listViews(context, hub);
  if (options.list) return listSaved(context, hub);
  if (options.saved !== undefined) {
    if (statement !== undefined) throw new CliFailure('Name a saved query or write a statement, not both.', EXIT.usage);
    const saved = await findSaved(hub, options.saved);
    const values = mergedParams(saved.params, params);
    return answer(context, hub, { sql: saved.sql, params: values, limit }, { format, output: options.output });
  }
  if (statement === undefined && terminal.isInteractive) {
    const { promptSql } = await import('./sql-prompt.ts');
    return promptSql(context, { hub, format, limit });
  }
  const sql = (statement ?? (await terminal.readInput())).trim();
  if (sql === '') throw new CliFailure('There is no statement. Write it in quotes, or pipe it in.', EXIT.usage);
  await answer(context, hub, { sql, params, limit }, { format, output: options.output });
  // A statement that fails is not worth keeping.
  if (options.save !== undefined) {
    await hub.call('PUT', `${SAVED}/${encodeURIComponent(options.save)}`, { body: { sql, params } });
    terminal.note(`Saved. Run it again with: homeport sql --saved ${JSON.stringify(options.save)}`);
  }
}

function formatOf({ terminal }: CliContext, { format, output }: SqlOptions): SqlFormat {
  const chosen = format ?? (output === undefined ? 'table' : BY_ENDING[extname(output).toLowerCase()]);
  if (chosen === undefined || (output !== undefined && chosen === 'table'))
    throw new CliFailure(
      `The ending of ${output} says no format. Add --format csv, json, ndjson, arrow or parquet.`,
      EXIT.usage,
    );
  const isBinary = chosen === 'arrow' || chosen === 'parquet';
  if (isBinary && output === undefined && terminal.isInteractive)
    throw new CliFailure(`A terminal cannot show ${chosen}. Add --output rows.${chosen}, or pipe it on.`, EXIT.usage);
  return chosen;
}

/** `name=value` for all placeholders, or values in their order. Numbers, true, false and null are such. */
function readParams(texts: readonly string[]): QueryParams {
  const named = texts.map((text) => /^([A-Za-z_]\w*)=(.*)$/s.exec(text));
  if (texts.length === 0 || named.some((match) => match === null)) return texts.map(sqlValueOf);
  return Object.fromEntries(named.map((match) => [match?.[1] ?? '', sqlValueOf(match?.[2] ?? '')]));
}

async function listViews({ terminal }: CliContext, hub: HubClient): Promise<void> {
  const views = await readViews(hub);
  terminal.printJson({ data: views });
  showViews(terminal, views);
}

const SAVED = '/records/queries';

const savedQueriesOf = async (hub: HubClient): Promise<SavedQueryView[]> =>
  (await hub.call<{ data: SavedQueryView[] }>('GET', SAVED)).data;

async function findSaved(hub: HubClient, name: string): Promise<SavedQueryView> {
  const all = await savedQueriesOf(hub);
  const found = all.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  if (found) return found;
  const known = all.map((one) => `"${one.name}"`).join(', ');
  throw new CliFailure(
    `There is no saved query "${name}". ${known === '' ? 'None is saved yet: --save <name> keeps a statement.' : `There are ${known}.`}`,
  );
}

/** Given values replace those of the same name that were saved. */
function mergedParams(saved: QueryParams, given: QueryParams): QueryParams {
  if (Array.isArray(given) && given.length === 0) return saved;
  return Array.isArray(saved) || Array.isArray(given) ? given : { ...saved, ...given };
}

async function listSaved({ terminal }: CliContext, hub: HubClient): Promise<void> {
  const all = await savedQueriesOf(hub);
  terminal.printJson({ data: all });
  if (all.length === 0) return terminal.note('No query is saved yet. --save <name> keeps a statement.');
  terminal.table(
    ['NAME', 'STATEMENT'],
    all.map(({ name, sql }) => [name, sql.replaceAll(/\s+/g, ' ').slice(0, 100)]),
  );
}
