import type { Command } from 'commander';
import { localTime } from '../../platform/lib/local-time.ts';
import type { OutgoingWebhookRow } from '../../webhooks-out/dashboard-outgoing-webhooks.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { environmentOption, integrationOption } from '../command-options.ts';

interface EnvironmentOptions {
  environment: string;
  integrationId?: string;
}

interface ListOptions extends EnvironmentOptions {
  limit: string;
  failed?: boolean;
  type?: string;
}

interface ReplayOptions extends EnvironmentOptions {
  failed?: boolean;
  to?: string;
}

const OUTGOING = '/api/v1/webhooks/outgoing';

export function addWebhooks(program: Command, context: CliContext): void {
  const parent = program.command('webhooks').description('webhooks to your app: list them and send them again');
  const add = (name: string): Command => environmentOption(parent.command(name));
  integrationOption(add('list'), 'only of this integration')
    .description('the latest webhooks')
    .option('-n, --limit <number>', 'how many', '20')
    .option('--type <type>', 'only auth, sync, async_action or forward')
    .option('--failed', 'only what was given up')
    .action((options: ListOptions) => list(context, options));
  add('get')
    .description('one webhook with its body and its attempts')
    .argument('<webhook_id>')
    .action((id: string, options: EnvironmentOptions) => get(context, id, options));
  integrationOption(add('replay'), 'with --failed: only of this integration')
    .description('send a webhook again, or with --failed everything that failed and was not sent again since')
    .argument('[webhook_id]')
    .option('--to <url>', 'to another address')
    .option('--failed', 'all that failed')
    .action((id: string | undefined, options: ReplayOptions) => replay(context, id, options));
}

async function list(context: CliContext, options: ListOptions): Promise<void> {
  const { terminal } = context;
  const session = await context.hubs.logIn();
  const { data } = await session.call<{ data: OutgoingWebhookRow[] }>('GET', OUTGOING, {
    query: {
      env: options.environment,
      limit: options.limit,
      ...(options.failed ? { states: 'failed' } : {}),
      ...(options.type ? { types: options.type } : {}),
      ...(options.integrationId ? { integrations: options.integrationId } : {}),
    },
  });
  terminal.printJson(data);
  if (data.length === 0) terminal.note(isNarrowed(options) ? 'No webhook fits.' : 'No webhook was sent yet.');
  else terminal.table(['TIME', 'TYPE', 'STATE', 'ATTEMPT', 'STATUS', 'CONNECTION', 'URL', 'ID'], data.map(cellsOf));
}

function isNarrowed({ failed, type, integrationId }: ListOptions): boolean {
  return failed === true || type !== undefined || integrationId !== undefined;
}

function cellsOf(row: OutgoingWebhookRow): string[] {
  return [
    localTime(row.createdAt),
    row.type,
    row.state,
    `${row.attempt}/${row.mostAttempts}`,
    String(row.code ?? row.error ?? ''),
    row.connectionId ?? '',
    row.url,
    row.id,
  ];
}

async function get(context: CliContext, id: string, { environment }: EnvironmentOptions): Promise<void> {
  const session = await context.hubs.logIn();
  const found = await session.call('GET', `${OUTGOING}/${encodeURIComponent(id)}`, { query: { env: environment } });
  context.terminal.printJson(found);
  context.terminal.printValue(JSON.stringify(found, null, 2));
}

async function replay(context: CliContext, id: string | undefined, options: ReplayOptions): Promise<void> {
  if ((id === undefined) === !options.failed)
    throw new CliFailure('Name the webhook to send again, or say --failed for all that failed.', EXIT.usage);
  if (options.failed && options.to)
    throw new CliFailure('--to sends one webhook elsewhere; name its id instead of --failed.', EXIT.usage);
  await (id === undefined ? replayFailed(context, options) : replayOne(context, id, options));
}

async function replayOne(context: CliContext, id: string, { environment, to }: ReplayOptions): Promise<void> {
  const { terminal } = context;
  const session = await context.hubs.logIn();
  const sent = await session.call<{ id: string }>('POST', `${OUTGOING}/${encodeURIComponent(id)}/replay`, {
    query: { env: environment },
    body: to === undefined ? {} : { url: to },
  });
  terminal.printJson(sent);
  terminal.print(`${terminal.colors.green('✓')} on its way as ${sent.id}`);
}

async function replayFailed(context: CliContext, { environment, integrationId }: ReplayOptions): Promise<void> {
  const { terminal } = context;
  const session = await context.hubs.logIn();
  const sent = await session.call<{ count: number; perSecond: number }>('POST', `${OUTGOING}/replay-failed`, {
    query: { env: environment },
    body: integrationId === undefined ? {} : { integrations: [integrationId] },
  });
  terminal.printJson(sent);
  terminal.print(
    sent.count === 0
      ? 'Nothing failed that was not sent again.'
      : `${terminal.colors.green('✓')} ${sent.count} on their way, ${sent.perSecond} a second`,
  );
}
