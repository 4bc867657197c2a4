import type { Command } from 'commander';
import { localTime } from '../../platform/lib/local-time.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirmOption, environmentOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import { locateConnection } from '../hub/find-connection.ts';
import type { HubClient } from '../hub/hub-client.ts';

interface Options {
  environment: string;
}

interface CreateOptions extends Options {
  scopes?: string;
  connection: string[];
}

interface ListedKey {
  id: number;
  uuid: string;
  display_name: string;
  scopes: string[];
  created_at: string;
  last_used_at: string | null;
}

const PATH = '/environment/api-keys';

/** The secret keys of an environment, which apps call the API with (http-api.md 12). */
export function addKeys(program: Command, context: CliContext): void {
  const parent = program.command('keys').description('API keys of an environment: list, create and revoke them');
  const add = (name: string): Command => environmentOption(parent.command(name));
  add('list')
    .description('all keys, without their secrets')
    .action(({ environment }: Options) => list(context, environment));
  add('create')
    .description('create a key and print its secret, which is shown only here')
    .argument('<name>', 'name of the app that gets it')
    .option('--scopes <list>', 'separated by commas, such as environment:connections:list; default: everything')
    .option(
      '--connection <connection_id>',
      'a connection that the key may use, and no other; may be repeated',
      (id: string, all: string[]) => [...all, id],
      [],
    )
    .action((name: string, options: CreateOptions) => create(context, name, options));
  confirmOption(add('revoke'))
    .description('revoke a key at once; the last one of an environment stays')
    .argument('<key>', 'its name or its id')
    .action((key: string, { environment }: Options) => revoke(context, key, environment));
}

async function list({ hubs, terminal }: CliContext, environment: string): Promise<void> {
  const keys = await readKeys(await hubs.open(environment));
  terminal.printJson(keys);
  terminal.table(
    ['KEY', 'ID', 'SCOPES', 'CREATED', 'LAST USED'],
    keys.map(({ created_at, display_name, id, last_used_at, scopes }) => [
      display_name,
      String(id),
      scopes.join(', '),
      localTime(created_at),
      last_used_at === null ? '-' : localTime(last_used_at),
    ]),
  );
}

async function create(context: CliContext, name: string, options: CreateOptions): Promise<void> {
  const { hubs, terminal } = context;
  const scopes = options.scopes?.split(',').map((scope) => scope.trim());
  const hub = await hubs.open(options.environment);
  if (options.connection.length > 0) return createLimited(context, hub, name, { ...options, scopes });
  const body = { display_name: name, ...(scopes === undefined ? {} : { scopes }) };
  const { data } = await hub.call<{ data: ListedKey & { secret: string } }>('POST', PATH, { body });
  terminal.printJson(data);
  terminal.printValue(data.secret);
  terminal.note(`This is the secret of ${data.display_name} (id ${data.id}). It is not shown again.`);
}

/** Only the person whose hub it is limits a key to connections: the public API has no member for it. */
async function createLimited(
  context: CliContext,
  hub: HubClient,
  name: string,
  {
    connection,
    environment,
    scopes = ['environment:*'],
  }: { connection: string[]; environment: string; scopes?: string[] | undefined },
): Promise<void> {
  const { hubs, terminal } = context;
  const allowed: Array<{ integrationKey: string; connectionId: string }> = [];
  for (const id of new Set(connection)) {
    const { connection_id, provider_config_key } = await locateConnection(context, hub, id, undefined);
    allowed.push({ integrationKey: provider_config_key, connectionId: connection_id });
  }
  const session = await hubs.logIn();
  const created = await session.call<{ id: number; name: string; secret: string }>('POST', '/api/v1/keys', {
    query: { env: environment },
    body: { name, scopes, allowed },
  });
  const connections = allowed.map(({ connectionId }) => connectionId);
  terminal.printJson({ id: created.id, display_name: created.name, scopes, connections, secret: created.secret });
  terminal.printValue(created.secret);
  terminal.note(
    `This is the secret of ${created.name} (id ${created.id}), for ${connections.join(', ')} only. It is not shown again.`,
  );
}

async function revoke(context: CliContext, wanted: string, environment: string): Promise<void> {
  const { hubs, terminal } = context;
  const hub = await hubs.open(environment);
  const keys = await readKeys(hub);
  const found = keys.filter(({ display_name, id, uuid }) => [display_name, String(id), uuid].includes(wanted));
  const [key, ...others] = found;
  if (!key) throw new CliFailure(`There is no key "${wanted}". "homeport keys list" shows all of them.`);
  if (others.length > 0)
    throw new CliFailure(
      `${found.length} keys are called "${wanted}": name one by its id (${found.map(({ id }) => id).join(', ')}).`,
      EXIT.usage,
    );
  await confirm(context, `Apps that use it are refused at once. Revoke the key ${key.display_name}?`);
  await hub.call('DELETE', PATH, { body: { key_id: key.id } });
  terminal.printJson({ revoked: key.id, display_name: key.display_name });
  terminal.print(`${terminal.colors.green('✓')} ${key.display_name} revoked`);
}

async function readKeys(hub: HubClient): Promise<ListedKey[]> {
  return (await hub.call<{ data: ListedKey[] }>('GET', PATH)).data;
}
