import { extname } from 'node:path';
import type { QueryParams, QueryValue } from '../../queries/queries.contract.ts';
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
  if (statement === undefined && terminal.isInteractive) {
    const { promptSql } = await import('./sql-prompt.ts');
    return promptSql(context, { hub, format, limit });
  }
  const sql = (statement ?? (await terminal.readInput())).trim();
  if (sql === '') throw new CliFailure('There is no statement. Write it in quotes, or pipe it in.', EXIT.usage);
  await answer(context, hub, { sql, params, limit }, { format, output: options.output });
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
  if (texts.length === 0 || named.some((match) => match === null)) return texts.map(paramValue);
  return Object.fromEntries(named.map((match) => [match?.[1] ?? '', paramValue(match?.[2] ?? '')]));
}

function paramValue(text: string): QueryValue {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
}

async function listViews({ terminal }: CliContext, hub: HubClient): Promise<void> {
  const views = await readViews(hub);
  terminal.printJson({ data: views });
  showViews(terminal, views);
}
