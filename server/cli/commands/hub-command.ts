import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { AttentionItem } from '../../dashboard/dashboard-overview.contract.ts';
import type { Meta } from '../../environments/dashboard-environment.contract.ts';
import type { KeyRow } from '../../environments/dashboard-keys.contract.ts';
import type { OperationListItem } from '../../log/dashboard-logs.contract.ts';
import { localTime } from '../../platform/lib/local-time.ts';
import { readRunningFile, requestEnd, requestLoginLink } from '../../running-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { DashboardSession } from '../hub/dashboard-session.ts';
import { noHub } from '../hub/hub-access.ts';
import { hubRefusal, parseHubJson } from '../hub/hub-client.ts';
import { openBrowser } from '../hub/open-browser.ts';

/** The hub of this user: whether it runs, what it does, and its end. */
export function addHub(program: Command, context: CliContext): void {
  program
    .command('status')
    .description(
      'whether the hub runs and where, its keys, what it does, and what needs attention; status 3: it does not run',
    )
    .action(() => showStatus(context));
  program
    .command('stop')
    .description('stop the hub; syncs go on from their last checkpoint at the next start')
    .action(() => stop(context));
  program
    .command('restart')
    .description('stop the hub and start it again where it runs: in its terminal, its app or its service')
    .action(() => restart(context));
  program
    .command('open')
    .description('open the dashboard in the browser, and print its login link; without a terminal it only prints')
    .option('--browser', 'open the browser also where no terminal is')
    .option('--no-browser', 'only print the link')
    .action((options: { browser?: boolean }) => open(context, options));
}

interface StatusOfEnvironment {
  name: string;
  keys: Array<{ id: number; name: string; last_used_at: string | null }>;
  running: Array<{
    id: string;
    state: string;
    type: string;
    integration: string | null;
    function: string | null;
    connection: string | null;
    since: string;
  }>;
  attention: Array<{ kind: string; what: string; reason: string; count: number; at: string }>;
  attention_total: number;
}

async function showStatus(context: CliContext): Promise<void> {
  const { config, terminal, outcome } = context;
  const { colors } = terminal;
  const session = await DashboardSession.open(config.home, fetch);
  const running = await readRunningFile(config.home);
  if (!session || !running) {
    outcome.status = EXIT.stopped;
    terminal.printJson({ running: false, address: null, data_folder: config.home });
    terminal.print(`${colors.dim('○')} No hub runs with the data folder ${config.home}.`);
    terminal.note('Start it with "homeport serve" or the app.');
    return;
  }
  const meta = await session.call<Meta>('GET', '/api/v1/meta');
  const environments = await Promise.all(meta.environments.map(({ name }) => readEnvironment(session, name)));
  const { health } = meta;
  const problems = [
    ...(health.vault === 'locked'
      ? ['The vault is locked: calls that need a secret wait. Unlock it in the dashboard.']
      : []),
    ...(health.dataProblem === null ? [] : [health.dataProblem]),
    ...(health.unstoredTokens === 0 ? [] : [`Tokens of ${health.unstoredTokens} connections could not be stored.`]),
    ...(health.pausedSchedules === null
      ? []
      : [
          `Schedules are paused${health.pausedSchedules.until === null ? '' : ` until ${localTime(health.pausedSchedules.until)}`}.`,
        ]),
  ];
  terminal.printJson({
    running: true,
    version: meta.version,
    address: running.address,
    data_folder: config.home,
    functions_folder: meta.functionsFolder,
    pid: running.pid ?? null,
    started_at: running.startedAt ?? null,
    vault: health.vault,
    master_key: health.vaultSource,
    problems,
    environments,
  });
  const process = running.pid === undefined ? 'unknown' : `${running.pid}, since ${localTime(running.startedAt ?? '')}`;
  terminal.print(`${colors.green('●')} Homeport ${meta.version} runs at ${running.address}`);
  terminal.print(`  data folder  ${config.home}`);
  terminal.print(`  functions    ${meta.functionsFolder}`);
  terminal.print(`  process      ${process}`);
  for (const problem of problems) terminal.print(`  ${colors.yellow('!')} ${problem}`);
  for (const environment of environments) printEnvironment(context, environment);
}

function printEnvironment({ terminal }: CliContext, environment: StatusOfEnvironment): void {
  const { colors } = terminal;
  const { attention, keys, name, running } = environment;
  terminal.print(`\n${colors.bold(name)}`);
  const used = keys.map(
    (key) => `${key.name} (${key.last_used_at === null ? 'not used' : `used ${localTime(key.last_used_at)}`})`,
  );
  terminal.print(`  keys         ${used.join(', ')}`);
  if (running.length === 0) terminal.print('  running      nothing');
  for (const one of running) {
    const what = [one.integration, one.function ?? one.type].filter(Boolean).join(' / ');
    terminal.print(
      `  ${one.state === 'waiting' ? 'waiting' : 'running'}      ${what}${one.connection === null ? '' : ` on ${one.connection}`}, since ${localTime(one.since)}`,
    );
  }
  for (const { what, reason } of attention) terminal.print(`  ${colors.yellow('attention')}    ${what}: ${reason}`);
  if (environment.attention_total > attention.length)
    terminal.print(`               and ${environment.attention_total - attention.length} more`);
}

async function readEnvironment(session: DashboardSession, name: string): Promise<StatusOfEnvironment> {
  const query = { env: name };
  const [keys, operations, attention] = await Promise.all([
    session.call<{ data: KeyRow[] }>('GET', '/api/v1/keys', { query }),
    session.call<{ data: OperationListItem[] }>('GET', '/api/v1/logs/operations', {
      query: { ...query, states: 'running,waiting', limit: '20' },
    }),
    session.call<{ data: AttentionItem[]; total: number }>('GET', '/api/v1/overview/attention', { query }),
  ]);
  return {
    name,
    keys: keys.data.map((key) => ({ id: key.id, name: key.name, last_used_at: key.lastUsedAt })),
    running: operations.data.map((row) => ({
      id: row.id,
      state: row.state,
      type: `${row.operation.type}:${row.operation.action}`,
      integration: row.integrationName,
      function: row.syncConfigName,
      connection: row.connectionName,
      since: row.startedAt ?? row.createdAt,
    })),
    attention: attention.data.map((item) => ({
      kind: item.kind,
      what: attentionText(item),
      reason: item.reason,
      count: item.count,
      at: item.at,
    })),
    attention_total: attention.total,
  };
}

function attentionText(item: AttentionItem): string {
  if (item.kind === 'deliveries') return `${count(item.count, 'webhook')} to ${item.url || 'a destination'} failed`;
  if (item.kind === 'destination') return `records do not reach ${item.name}`;
  const where = item.count === 1 ? item.connectionId : count(item.count, 'connection');
  return item.kind === 'sign-in'
    ? `${item.integrationKey} needs a sign-in on ${where}`
    : `${item.integrationKey} / ${item.sync} fails on ${where}`;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Milliseconds; a stop takes 5 s at most (design.md 3), a start with many functions longer. */
const STOP_LIMIT_MS = 10_000;
const START_LIMIT_MS = 60_000;
const LOOK_MS = 100;

async function stop(context: CliContext): Promise<void> {
  const { config, terminal } = context;
  const before = await readRunningFile(config.home);
  const isAsked = before !== undefined && (await askTo(context, 'stop'));
  if (!isAsked) {
    terminal.printJson({ stopped: false });
    terminal.note(`No hub runs with the data folder ${config.home}: nothing to stop.`);
    return;
  }
  const hasEnded = await terminal.progress('Stopping', () =>
    within(context, STOP_LIMIT_MS, async () => (await readRunningFile(config.home))?.controlKey !== before.controlKey),
  );
  if (!hasEnded)
    throw new CliFailure(
      `The hub at ${before.address} did not end within ${STOP_LIMIT_MS / 1000} seconds.${processOf(before)}`,
    );
  terminal.printJson({ stopped: true, address: before.address, pid: before.pid ?? null });
  terminal.print(`${terminal.colors.green('✓')} the hub at ${before.address} has stopped`);
}

async function restart(context: CliContext): Promise<void> {
  const { config, terminal } = context;
  const before = await readRunningFile(config.home);
  if (before === undefined || !(await askTo(context, 'restart'))) throw noHub(config.home);
  const isBack = await terminal.progress('Starting again', () =>
    within(context, START_LIMIT_MS, async () => {
      const now = await readRunningFile(config.home);
      return now !== undefined && now.controlKey !== before.controlKey;
    }),
  );
  if (!isBack)
    throw new CliFailure(
      `The hub at ${before.address} was told to start again and is not back after ${START_LIMIT_MS / 1000} seconds. Its terminal or log says why; "homeport serve" starts it.`,
    );
  const now = await readRunningFile(config.home);
  terminal.printJson({ restarted: true, address: now?.address ?? null, pid: now?.pid ?? null });
  terminal.print(`${terminal.colors.green('✓')} the hub runs again at ${now?.address}`);
}

/** False when no hub answers. */
async function askTo({ config }: CliContext, how: 'stop' | 'restart'): Promise<boolean> {
  const response = await requestEnd(config.home, how);
  if (response === undefined) return false;
  if (response.status === 404)
    throw new CliFailure(`The running hub is of a version that no command can ${how}. End it where it was started.`);
  if (response.status >= 400) throw hubRefusal(response.status, parseHubJson(response.text));
  return true;
}

function processOf({ pid }: { pid?: number }): string {
  return pid === undefined ? '' : ` Its process is ${pid}.`;
}

/** Whether the condition comes true in time. */
async function within({ signal }: CliContext, limitMs: number, condition: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    if (await condition()) return true;
    if (signal.aborted) throw new CliFailure('Stopped waiting.', EXIT.interrupted);
    await delay(LOOK_MS);
  }
  return false;
}

async function open({ config, env, terminal }: CliContext, { browser }: { browser?: boolean }): Promise<void> {
  const url = await requestLoginLink(config.home);
  if (url === undefined) throw noHub(config.home);
  const isWanted = browser ?? (terminal.isInteractive || Boolean(env['BROWSER'] && !terminal.isJson));
  const isOpened = isWanted && (await openBrowser({ url, folder: config.home, env }));
  terminal.printJson({ url, opened: isOpened });
  terminal.printValue(url);
  if (isWanted && !isOpened) terminal.note('No browser could be opened; open this address yourself.');
}
