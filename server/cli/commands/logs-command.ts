import type { Command } from 'commander';
import { PAGE_SIZE } from '../../contract/dashboard/list-limits.ts';
import type { MessageListItem, OperationDetailResponse, OperationListItem } from '../../log/dashboard-logs.contract.ts';
import { matchesLogFilter, parseLogQuery } from '../../log/log-query.contract.ts';
import { causeOf, reasonOf } from '../../platform/lib/failure-cause.ts';
import { localTime } from '../../platform/lib/local-time.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { environmentOption } from '../command-options.ts';
import type { DashboardSession } from '../hub/dashboard-session.ts';

interface Options {
  environment: string;
  follow?: boolean;
  limit: string;
  failed?: boolean;
  each?: boolean;
  query?: string;
}

export function addLogs(program: Command, context: CliContext): void {
  environmentOption(program.command('logs'))
    .description('recent operations of this user’s hub; with an id, the messages of one operation')
    .argument('[operation_id]')
    .option('-f, --follow', 'continue with new operations')
    .option('-n, --limit <number>', 'how many operations', '20')
    .option(
      '-q, --query <query>',
      'only what fits, in the language of the dashboard\'s log, such as "state:failed -connection:me duration>2s"',
    )
    .option('--failed', 'only what failed, one line per cause')
    .option('--each', 'with --failed: every operation')
    .action((id: string | undefined, options: Options) =>
      id === undefined ? showOperations(context, options) : showMessages(context, id, options),
    );
}

async function showOperations(context: CliContext, options: Options): Promise<void> {
  const { terminal, signal } = context;
  const limit = Number(options.limit);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new CliFailure(`--limit takes a whole number, 1 or more; "${options.limit}" is not one.`, EXIT.usage);
  const { problems } = parseLogQuery(options.query ?? '');
  if (problems.length > 0) throw new CliFailure(`--query: ${problems.join(' ')}`, EXIT.usage);
  const session = await context.hubs.logIn();
  const data = await readOperations(session, options, limit);
  if (!options.follow) terminal.printJson(data);
  printOperations(context, data, options);
  if (!options.follow) return;
  const { dashboardEvents } = await import('../../contract/dashboard/dashboard-events.ts');
  // Messages are shown for the operations that are shown.
  const shown = new Set(data.map(({ id }) => id));
  const filter = filterOf(options);
  try {
    for await (const { event, data: sent } of session.events(options.environment, signal)) {
      if (event === 'operation') {
        const row = dashboardEvents.operation.parse(sent);
        if (!matchesLogFilter(row, filter)) continue;
        shown.add(row.id);
        print(context, row, operationLine(context, row));
      } else if (event === 'message') {
        const { message, operationId } = dashboardEvents.message.parse(sent);
        if (options.failed || (options.query !== undefined && !shown.has(operationId))) continue;
        print(context, message, `      ${messageLine(context, message)}`);
      }
    }
  } catch (error) {
    // Ctrl-C ends following normally.
    if (!signal.aborted) throw error;
  }
}

const LONGEST_STATE = 'cancelled'.length;

/** The newest last. Failures with the same cause are one line (design.md 7.52), with the id of the newest. */
function printOperations(context: CliContext, rows: readonly OperationListItem[], options: Options): void {
  const { terminal } = context;
  if (rows.length === 0 && !options.follow)
    terminal.note(options.failed ? 'Nothing failed.' : `Nothing happened in ${options.environment} yet.`);
  if (options.follow) {
    for (const row of rows.toReversed()) terminal.print(operationLine(context, row));
    return;
  }
  if (rows.length === 0) return;
  const headings = ['TIME', 'STATE', 'WHAT', 'WHERE', 'WHY', 'ID'];
  if (!options.failed || options.each) {
    terminal.table(
      headings,
      rows.toReversed().map((row) => operationCells(context, row)),
    );
    return;
  }
  const causes = [...Map.groupBy(rows, causeOfRow).values()];
  terminal.table(
    headings,
    causes.toReversed().map((group) => causeCells(context, group)),
  );
  if (causes.length < rows.length)
    terminal.note('Failures with the same cause are one line. `homeport logs --failed --each` prints every operation.');
}

const variablesOf = ({ connectionName, endUserName }: OperationListItem): string[] =>
  [connectionName, endUserName].filter((value) => value !== null);

function causeOfRow(row: OperationListItem): string {
  const { operation, integrationName, syncConfigName, error } = row;
  const { key } = causeOf(error ?? { message: row.message }, variablesOf(row));
  return JSON.stringify([operation, integrationName, syncConfigName, key]);
}

function causeCells(context: CliContext, group: readonly OperationListItem[]): string[] {
  const [newest] = group;
  if (!newest) return [];
  if (group.length === 1) return operationCells(context, newest);
  const { operation, integrationName, syncConfigName, error } = newest;
  const connections = new Set(group.map(({ connectionName }) => connectionName)).size;
  const what = [integrationName, syncConfigName ?? `${operation.type}:${operation.action}`].filter(Boolean).join(' / ');
  const where = connections > 1 ? `on ${connections} connections` : (newest.connectionName ?? 'no connection');
  const { reason } = causeOf(error ?? { message: newest.message }, variablesOf(newest));
  const state = context.terminal.colors.red('failed');
  return [localTime(newest.createdAt), state, `${what} failed ${group.length} times`, where, reason, newest.id];
}

/** Yields operations, the newest first, in pages of one snapshot, so that new ones do not shift the pages. */
async function readOperations(
  session: DashboardSession,
  options: Options,
  limit: number,
): Promise<OperationListItem[]> {
  const found: OperationListItem[] = [];
  let snapshot: string | undefined;
  for (;;) {
    const asked = Math.min(limit - found.length, PAGE_SIZE);
    const page = await session.call<{ data: OperationListItem[]; snapshot: string }>('GET', '/api/v1/logs/operations', {
      query: {
        env: options.environment,
        limit: String(asked),
        offset: String(found.length),
        ...filterOf(options),
        ...(snapshot === undefined ? {} : { snapshot }),
      },
    });
    found.push(...page.data);
    snapshot = page.snapshot;
    if (page.data.length < asked || found.length >= limit) return found;
  }
}

function filterOf({ failed, query }: Options): Record<string, string> {
  return {
    ...(failed ? { states: 'failed,timeout' } : {}),
    ...(query === undefined ? {} : { search: query }),
  };
}

async function showMessages(context: CliContext, operationId: string, { environment }: Options): Promise<void> {
  const session = await context.hubs.logIn();
  const [{ data }, { recordedLevel }] = await Promise.all([
    session.call<{ data: MessageListItem[] }>('GET', '/api/v1/logs/messages', {
      query: { env: environment, operationId },
    }),
    session.call<OperationDetailResponse>('GET', `/api/v1/logs/operations/${encodeURIComponent(operationId)}`, {
      query: { env: environment },
    }),
  ]);
  context.terminal.printJson(data);
  for (const row of data) context.terminal.print(messageLine(context, row));
  // An author who looks for `console.log` output must learn why it is missing.
  if (recordedLevel === 'warn' || recordedLevel === 'error')
    context.terminal.note(
      `Messages of functions below level ${recordedLevel} are not recorded; \`homeport settings set log_level debug\` records them.`,
    );
}

/** While following, JSON is one document per line, because a list without an end could not be parsed. */
function print({ terminal }: CliContext, row: unknown, line: string): void {
  if (terminal.isJson) terminal.write(`${JSON.stringify(row)}\n`);
  else terminal.print(line);
}

/** The columns of a list. Only the state has a colour: a coloured cell that wraps would colour its neighbours. */
function operationCells({ terminal: { colors } }: CliContext, row: OperationListItem): string[] {
  const isBad = row.state === 'failed' || row.state === 'timeout';
  const paint = isBad ? colors.red : row.state === 'success' ? colors.green : colors.yellow;
  const where = [row.integrationName, row.connectionName, row.syncConfigName]
    .filter((part) => part !== null)
    .join(' / ');
  // A success with an error is one with a warning.
  const why = row.error ? reasonOf(row.error) : '';
  return [localTime(row.createdAt), paint(row.state), row.message, where, why, row.id];
}

/** While following, the widths of later lines are not known: what has one width comes first. */
function operationLine(context: CliContext, row: OperationListItem): string {
  const { colors } = context.terminal;
  const [time = '', state = '', ...rest] = operationCells(context, row);
  const gap = ' '.repeat(Math.max(0, LONGEST_STATE - row.state.length));
  return `${colors.dim(time)}  ${state}${gap}  ${colors.dim(row.id)}  ${rest.slice(0, -1).filter(Boolean).join('  ')}`;
}

function messageLine({ terminal: { colors } }: CliContext, row: MessageListItem): string {
  const paint = { debug: colors.dim, info: colors.cyan, warn: colors.yellow, error: colors.red }[row.level];
  const response = row.response ? ` → ${row.response.code}` : '';
  return `${colors.dim(localTime(row.createdAt))} ${paint(row.level.padEnd(5))} ${row.message}${response}`;
}
