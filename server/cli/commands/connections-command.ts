import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirmOption, environmentOption, integrationOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { readObjectArgument } from '../project/json-argument.ts';

interface Options {
  environment: string;
  integrationId?: string;
}

interface AddOptions extends Options {
  credentials?: string;
}

/** The parts of the public API's answer about a provider that are used here. */
interface Provider {
  auth_mode: string;
  credentials?: Record<string, { example?: string }>;
}

interface Connection extends Record<string, unknown> {
  connection_id: string;
  provider_config_key: string;
  provider: string;
  status: 'ok' | 'auth_error' | 'sync_error' | 'paused';
  credentials?: Record<string, unknown>;
}

/** The words of the dashboard (design.md 7.53). */
const STATES: Record<Connection['status'], string> = {
  ok: 'ok',
  auth_error: 'sign-in needed',
  sync_error: 'sync failing',
  paused: 'paused',
};

export function addConnections(program: Command, context: CliContext): void {
  const parent = program.command('connections').description('list, show, add and delete connections');
  const add = (command: Command): Command =>
    integrationOption(environmentOption(command), 'integration of the connection');
  add(parent.command('list'))
    .description('all connections')
    .action((options: Options) => list(context, options));
  add(parent.command('get'))
    .description('one connection, without its credentials')
    .argument('<connection_id>')
    .action((id: string, options: Options) => get(context, id, options));
  confirmOption(add(parent.command('add')))
    .description(
      'add a connection with credentials that you have; an authorization at the provider starts in the dashboard',
    )
    .argument('<integration>', 'integration; created if it does not exist and a provider has this name')
    .argument('<connection_id>')
    .option('-c, --credentials <json>', 'such as @credentials.json; the practice provider needs none')
    .action((integration: string, id: string, options: AddOptions) => addOne(context, integration, id, options));
  confirmOption(add(parent.command('delete')))
    .description('delete a connection with its credentials and records')
    .argument('<connection_id>')
    .action((id: string, options: Options) => remove(context, id, options));
  add(program.command('token'))
    .description('print the access token or key of a connection, freshly renewed where that is due')
    .argument('<connection_id>')
    .action((id: string, options: Options) => token(context, id, options));
}

async function list(context: CliContext, { environment, integrationId }: Options): Promise<void> {
  const { terminal } = context;
  const connections = await listConnections(await context.hubs.open(environment), { integrationId });
  terminal.printJson(connections);
  const rows = connections.map(({ connection_id, provider_config_key, provider, status }) => [
    connection_id,
    provider_config_key,
    provider,
    STATES[status],
  ]);
  if (rows.length === 0)
    terminal.note(
      integrationId === undefined
        ? `There are no connections in ${environment} yet.`
        : `The integration "${integrationId}" has no connections in ${environment}.`,
    );
  else terminal.table(['CONNECTION', 'INTEGRATION', 'PROVIDER', 'STATE'], rows);
}

async function get(context: CliContext, id: string, { environment, integrationId }: Options): Promise<void> {
  const { terminal } = context;
  const hub = await context.hubs.open(environment);
  const { credentials, ...shown } = await readConnection(hub, await locate(context, hub, id, integrationId));
  const safe = { ...shown, credentials: { type: credentials?.['type'], expires_at: credentials?.['expires_at'] } };
  terminal.printJson(safe);
  terminal.print(JSON.stringify(safe, null, 2));
}

async function addOne(context: CliContext, key: string, id: string, options: AddOptions): Promise<void> {
  const { terminal, cwd } = context;
  const hub = await context.hubs.open(options.environment);
  const known = await hub.send('GET', `/integrations/${encodeURIComponent(key)}`);
  const name = known.status === 200 ? (known.body as { data: { provider: string } }).data.provider : key;
  const { data: provider } = await hub.call<{ data: Provider }>('GET', `/providers/${encodeURIComponent(name)}`);
  const credentials =
    options.credentials === undefined
      ? exampleCredentials(provider)
      : await readObjectArgument(
          '--credentials',
          options.credentials === '@-' ? await terminal.readInput() : options.credentials,
          cwd,
        );
  const isThere = known.status === 200 && (await hasConnection(hub, key, id));
  if (isThere) await confirm(context, `There is a connection ${id} of ${key} already. Replace its credentials?`);
  if (known.status === 404) await hub.call('POST', '/integrations', { body: { provider: name, unique_key: key } });
  try {
    await hub.call('POST', '/connections', {
      body: { provider_config_key: key, connection_id: id, credentials: { type: provider.auth_mode, ...credentials } },
    });
  } catch (error) {
    // This command has created the integration for this connection.
    if (known.status === 404) await hub.call('DELETE', `/integrations/${encodeURIComponent(key)}`);
    throw error;
  }
  terminal.printJson({ connection_id: id, provider_config_key: key, provider: name });
  terminal.print(`${terminal.colors.green('✓')} ${id} of ${key} ${isThere ? 'has new credentials' : 'added'}`);
}

async function hasConnection(hub: HubClient, integrationId: string, connectionId: string): Promise<boolean> {
  const listed = await listConnections(hub, { integrationId, connectionId });
  return listed.some(({ connection_id }) => connection_id === connectionId);
}

/** Members of credentials for providers that name none of their own. */
const SHAPES: Readonly<Record<string, readonly string[]>> = {
  API_KEY: ['apiKey'],
  BASIC: ['username', 'password'],
  OAUTH2: ['access_token', 'refresh_token'],
};

/** Example credentials of the practice provider. Other providers have no examples. */
function exampleCredentials({ auth_mode, credentials = {} }: Provider): Record<string, string> {
  const examples = Object.entries(credentials).map(([name, { example }]) => [name, example] as const);
  if (
    auth_mode === 'API_KEY' &&
    examples.length > 0 &&
    examples.every(([, example]) => example?.startsWith('practice-'))
  )
    return Object.fromEntries(examples) as Record<string, string>;
  const names = examples.length > 0 ? examples.map(([name]) => name) : (SHAPES[auth_mode] ?? []);
  const shape = `{${names.map((name) => `"${name}": "…"`).join(', ')}}`;
  throw new CliFailure(
    names.length > 0
      ? `Give the credentials as --credentials @credentials.json, a file like ${shape}; @- reads them from standard input.`
      : `Accounts of this provider (${auth_mode}) are connected in the dashboard: "homeport open".`,
    EXIT.usage,
  );
}

async function remove(context: CliContext, id: string, { environment, integrationId }: Options): Promise<void> {
  const { terminal } = context;
  const hub = await context.hubs.open(environment);
  const { connection_id, provider_config_key } = await locate(context, hub, id, integrationId);
  await confirm(context, `Delete ${connection_id} of ${provider_config_key} with its records?`);
  await hub.call('DELETE', `/connections/${encodeURIComponent(connection_id)}`, { query: { provider_config_key } });
  terminal.printJson({ deleted: connection_id });
  terminal.print(`${terminal.colors.green('✓')} ${connection_id} deleted`);
}

async function token(context: CliContext, id: string, { environment, integrationId }: Options): Promise<void> {
  const { terminal } = context;
  const hub = await context.hubs.open(environment);
  const { credentials = {} } = await readConnection(hub, await locate(context, hub, id, integrationId));
  const value = credentials['access_token'] ?? credentials['token'] ?? credentials['apiKey'] ?? credentials;
  terminal.printJson(typeof value === 'string' ? { token: value } : value);
  terminal.print(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}

/** Connections of several integrations may have the same id. */
async function locate(
  { terminal }: CliContext,
  hub: HubClient,
  connectionId: string,
  integrationId: string | undefined,
): Promise<Connection> {
  const all = await listConnections(hub, { integrationId, connectionId });
  const found = all.filter(({ connection_id }) => connection_id === connectionId);
  const [only, ...others] = found;
  if (!only)
    throw new CliFailure(`There is no connection "${connectionId}". "homeport connections list" shows all of them.`);
  if (others.length === 0) return only;
  const choices = found.map((value) => ({ label: value.provider_config_key, value }));
  return terminal.choose(
    'Of which integration? (number)',
    choices,
    `Several integrations have a connection "${connectionId}". Choose with --integration.`,
  );
}

async function listConnections(
  hub: HubClient,
  query: { integrationId?: string | undefined; connectionId?: string | undefined },
): Promise<Connection[]> {
  return (
    await hub.call<{ connections: Connection[] }>('GET', '/connections', { query: { ...query, includeStatus: 'true' } })
  ).connections;
}

function readConnection(hub: HubClient, { connection_id, provider_config_key }: Connection): Promise<Connection> {
  return hub.call('GET', `/connections/${encodeURIComponent(connection_id)}`, { query: { provider_config_key } });
}
