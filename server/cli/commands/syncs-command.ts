import type { Command } from 'commander';
import { localTime } from '../../platform/lib/local-time.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirmOption, environmentOption, integrationOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import { type ListedConnection, locateConnection } from '../hub/find-connection.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { readIntegrations } from './integrations-command.ts';

interface Options {
  environment: string;
  integrationId?: string;
}

interface ListOptions extends Options {
  connection?: string;
}

interface ActOptions extends Options {
  variant?: string;
  every?: boolean;
}

interface RunOptions extends ActOptions {
  full?: boolean;
  emptyRecords?: boolean;
}

interface ListedSync {
  id: string;
  connection_id: string;
  name: string;
  variant: string;
  status: 'RUNNING' | 'PAUSED' | 'STOPPED' | 'SUCCESS' | 'ERROR';
  finishedAt?: string;
  nextScheduledSyncAt: string | null;
  frequency: string | null;
  recordCount: Record<string, number>;
}

/** Syncs on connections (http-api.md 10). */
export function addSyncs(program: Command, context: CliContext): void {
  const parent = program.command('syncs').description('syncs on connections: list, run, pause and start them');
  const add = (name: string): Command =>
    integrationOption(environmentOption(parent.command(name)), 'only of this integration');
  const target = (command: Command): Command =>
    command
      .argument('<name>')
      .argument('[connection_id]', 'or --every')
      .option('--every', 'on every connection of the integration')
      .option('--variant <name>', 'a variant of the sync');
  add('list')
    .description('syncs with their state, last and next run, and records')
    .option('-c, --connection <id>', 'only of this connection')
    .action((options: ListOptions) => list(context, options));
  confirmOption(target(add('run')))
    .description('run a sync now; it goes on in the hub')
    .option('--full', 'from the beginning: without the checkpoint and the date of the last run')
    .option('--empty-records', 'with --full: delete its records first')
    .action((name: string, connection: string | undefined, options: RunOptions) =>
      run(context, name, connection, options),
    );
  target(add('pause'))
    .description('stop its schedule')
    .action((name: string, connection: string | undefined, options: ActOptions) =>
      act(context, 'pause', { name, connection }, options),
    );
  target(add('start'))
    .description('start its schedule, which runs it now')
    .action((name: string, connection: string | undefined, options: ActOptions) =>
      act(context, 'start', { name, connection }, options),
    );
}

async function list(context: CliContext, { connection, environment, integrationId }: ListOptions): Promise<void> {
  const { hubs, terminal } = context;
  const hub = await hubs.open(environment);
  const found = connection === undefined ? undefined : await locateConnection(context, hub, connection, integrationId);
  const only = found?.provider_config_key ?? integrationId;
  const keys = only === undefined ? await listIntegrations(hub) : [only];
  const syncs = (
    await Promise.all(
      keys.map(async (key) => {
        const query = { syncs: '*', provider_config_key: key, connection_id: found?.connection_id };
        const { syncs: listed } = await hub.call<{ syncs: ListedSync[] }>('GET', '/sync/status', { query });
        return listed.map((sync) => ({ provider_config_key: key, ...sync }));
      }),
    )
  ).flat();
  terminal.printJson(syncs);
  if (syncs.length === 0) {
    const where = only === undefined ? 'There are no syncs' : `There are no syncs of ${connection ?? only}`;
    terminal.note(`${where}. "homeport functions list" shows the functions of the hub.`);
    return;
  }
  terminal.table(
    ['SYNC', 'INTEGRATION', 'CONNECTION', 'STATE', 'LAST RUN', 'NEXT RUN', 'EVERY', 'RECORDS'],
    syncs.map((sync) => [
      nameOf(sync),
      sync.provider_config_key,
      sync.connection_id,
      sync.status.toLowerCase(),
      timeOf(sync.finishedAt),
      timeOf(sync.nextScheduledSyncAt),
      sync.frequency?.replace(/^every /, '') ?? '-',
      Object.entries(sync.recordCount)
        .map(([model, number]) => `${model} ${number}`)
        .join(', '),
    ]),
  );
}

const timeOf = (time: string | null | undefined): string => (time ? localTime(time) : '-');

/** As the API writes it: a plain name is the variant `base`. */
const nameOf = ({ name, variant }: { name: string; variant?: string | undefined }): string =>
  variant === undefined || variant === 'base' ? name : `${name}::${variant}`;

async function run(
  context: CliContext,
  name: string,
  connection: string | undefined,
  options: RunOptions,
): Promise<void> {
  if (options.emptyRecords && !options.full) throw new CliFailure('--empty-records is for --full.', EXIT.usage);
  if (options.emptyRecords) await confirm(context, `Delete the records of ${name} and fetch all of them again?`);
  const opts = options.full ? { opts: { reset: true, emptyCache: options.emptyRecords === true } } : {};
  await act(context, 'trigger', { name, connection }, options, opts);
}

interface Target {
  name: string;
  connection: string | undefined;
}

const DONE = { trigger: 'was told to run', pause: 'is paused', start: 'is started' } as const;

async function act(
  context: CliContext,
  command: keyof typeof DONE,
  { connection, name }: Target,
  { environment, every, integrationId, variant }: ActOptions,
  more: Record<string, unknown> = {},
): Promise<void> {
  const { hubs, terminal } = context;
  if ((connection === undefined) === !every)
    throw new CliFailure('Name a connection, or say --every for all connections of an integration.', EXIT.usage);
  const hub = await hubs.open(environment);
  const target =
    connection === undefined
      ? { provider_config_key: await integrationOf(hub, name, integrationId) }
      : targetOf(await locateConnection(context, hub, connection, integrationId));
  const sync = nameOf({ name, variant });
  await hub.call('POST', `/sync/${command}`, { body: { syncs: [sync], ...target, ...more } });
  terminal.printJson({ success: true, command, sync, ...target });
  const where = connection === undefined ? 'every connection' : connection;
  terminal.print(`${terminal.colors.green('✓')} ${sync} ${DONE[command]} on ${where}`);
}

const targetOf = ({ connection_id, provider_config_key }: ListedConnection): Record<string, string> => ({
  connection_id,
  provider_config_key,
});

/** The integration that has a sync of this name, where only one has. */
async function integrationOf(hub: HubClient, name: string, integrationId: string | undefined): Promise<string> {
  if (integrationId !== undefined) return integrationId;
  const keys = await listIntegrations(hub);
  const having = await Promise.all(
    keys.map(async (key) => {
      const { status } = await hub.send(
        'GET',
        `/integrations/${encodeURIComponent(key)}/functions/${encodeURIComponent(name)}`,
        {
          query: { type: 'sync' },
        },
      );
      return status === 200 ? [key] : [];
    }),
  );
  const [only, ...others] = having.flat();
  if (only === undefined)
    throw new CliFailure(`There is no sync "${name}". "homeport functions list --type sync" shows all of them.`);
  if (others.length === 0) return only;
  throw new CliFailure(
    `Several integrations have a sync "${name}" (${having.flat().join(', ')}). Choose with --integration.`,
    EXIT.usage,
  );
}

async function listIntegrations(hub: HubClient): Promise<string[]> {
  return (await readIntegrations(hub)).map(({ unique_key }) => unique_key);
}
