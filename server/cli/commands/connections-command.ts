import type { Command } from 'commander';
import { PEEK_HEADER } from '../../contract/peek-header.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirmOption, environmentOption, integrationOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import { type ListedConnection, listConnections, locateConnection } from '../hub/find-connection.ts';
import type { HubClient } from '../hub/hub-client.ts';
import {
  askFields,
  configInputs,
  credentialInputs,
  readProvider,
  type ShownProvider,
  shapeOf,
} from '../hub/provider-fields.ts';
import { readObjectArgument } from '../project/json-argument.ts';
import { createIntegration } from './integrations-command.ts';

interface Options {
  environment: string;
  integrationId?: string;
}

interface AddOptions extends Options {
  credentials?: string;
  config?: string;
}

/** The words of the dashboard (design.md 7.53). */
const STATES: Record<ListedConnection['status'], string> = {
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
    .description('add a connection with credentials that you have; `homeport connect` opens a sign-in instead')
    .argument('<integration>', 'integration; created if it does not exist and a provider has this name')
    .argument('<connection_id>')
    .option(
      '-c, --credentials <json>',
      'JSON, @credentials.json, or @- for standard input; without it they are asked for',
    )
    .option('--config <json>', 'what the provider needs besides, such as a subdomain')
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
  const located = await locateConnection(context, hub, id, integrationId);
  const { credentials, ...shown } = await readConnection(hub, located, { [PEEK_HEADER]: '1' });
  const safe = { ...shown, credentials: { type: credentials?.['type'], expires_at: credentials?.['expires_at'] } };
  terminal.printJson(safe);
  terminal.printValue(JSON.stringify(safe, null, 2));
}

async function addOne(context: CliContext, key: string, id: string, options: AddOptions): Promise<void> {
  const { terminal } = context;
  const hub = await context.hubs.open(options.environment);
  const known = await hub.send('GET', `/integrations/${encodeURIComponent(key)}`);
  const name = known.status === 200 ? (known.body as { data: { provider: string } }).data.provider : key;
  const provider = await readProvider(hub, name);
  const input = await readInput(context, provider, options);
  const isThere = known.status === 200 && (await hasConnection(hub, key, id));
  if (isThere) await confirm(context, `There is a connection ${id} of ${key} already. Replace its credentials?`);
  if (known.status === 404) await createIntegration(context, hub, { provider, key, given: undefined });
  try {
    await hub.call('POST', '/connections', { body: { provider_config_key: key, connection_id: id, ...input } });
  } catch (error) {
    // This command has created the integration for this connection.
    if (known.status === 404) await hub.call('DELETE', `/integrations/${encodeURIComponent(key)}`);
    throw isAboutCredentials(error) ? withShape(error, provider) : error;
  }
  terminal.printJson({ connection_id: id, provider_config_key: key, provider: name });
  terminal.print(`${terminal.colors.green('✓')} ${id} of ${key} ${isThere ? 'has new credentials' : 'added'}`);
}

function isAboutCredentials(error: unknown): error is CliFailure {
  return (
    error instanceof CliFailure && error.details['code'] === 'invalid_body' && /\bcredentials\b/.test(error.message)
  );
}

/** What the hub refuses is told together with what this provider takes. */
function withShape(failure: CliFailure, provider: ShownProvider): CliFailure {
  const inputs = credentialInputs(provider) ?? [];
  const shape = `${provider.display_name} takes --credentials '${shapeOf(inputs)}'.`;
  return new CliFailure(`${failure.message}\n${shape}`, failure.status, failure.details);
}

async function hasConnection(hub: HubClient, integrationId: string, connectionId: string): Promise<boolean> {
  const listed = await listConnections(hub, { integrationId, connectionId });
  return listed.some(({ connection_id }) => connection_id === connectionId);
}

interface ConnectionInput {
  credentials: Record<string, unknown>;
  connection_config?: Record<string, unknown>;
}

/** Credentials and configuration: from the options, the practice provider's examples, or a person. */
async function readInput(context: CliContext, provider: ShownProvider, options: AddOptions): Promise<ConnectionInput> {
  const type = provider.auth_mode;
  const given =
    options.config === undefined ? undefined : await readObjectArgument('--config', options.config, context);
  const config = given === undefined ? {} : { connection_config: given };
  if (options.credentials !== undefined)
    return {
      credentials: { type, ...(await readObjectArgument('--credentials', options.credentials, context)) },
      ...config,
    };
  const example = practiceCredentials(provider);
  if (example) return { credentials: { type, ...example }, ...config };
  const inputs = credentialInputs(provider);
  if (!inputs)
    throw new CliFailure(
      `${provider.display_name} gives credentials only at a sign-in (${type}). "homeport connect" opens it.`,
      EXIT.usage,
    );
  const otherwise = howToGive(provider);
  const answers = inputs.length === 0 ? {} : await askFields(context, inputs, otherwise);
  // An empty user name or password is a value (http-api.md 4).
  const empty = type === 'BASIC' ? { username: '', password: '' } : {};
  const expiry = type === 'OAUTH2' ? await askExpiry(context, otherwise) : {};
  const asked =
    given ?? (context.terminal.isInteractive ? await askFields(context, configInputs(provider), otherwise) : {});
  return {
    credentials: { type, ...empty, ...answers, ...expiry },
    ...(Object.keys(asked).length === 0 ? {} : { connection_config: asked }),
  };
}

async function askExpiry({ terminal }: CliContext, otherwise: string): Promise<Record<string, unknown>> {
  const answer = await terminal.ask('When does the token expire? (a date; empty: never)', otherwise);
  if (answer === '') return { no_expiration: true };
  const date = new Date(answer);
  if (Number.isNaN(date.getTime())) throw new CliFailure(`"${answer}" is not a date.`, EXIT.usage);
  return { expires_at: date.toISOString() };
}

/** For a script: the option with the document that this provider takes. */
function howToGive(provider: ShownProvider): string {
  const inputs = credentialInputs(provider) ?? [];
  const more = provider.auth_mode === 'OAUTH2' ? ' with "expires_at": "<date>" or "no_expiration": true' : '';
  const config = configInputs(provider).filter(({ optional }) => !optional);
  const besides = config.length === 0 ? '' : `, and --config '${shapeOf(config)}'`;
  return `Give the credentials of ${provider.display_name}: --credentials @- with a document like ${shapeOf(inputs)}${more} on standard input, or @file.json${besides}. A sign-in at the provider: "homeport connect ${provider.name}".`;
}

/** The practice provider accepts its examples; no other provider's examples are credentials. */
function practiceCredentials({ auth_mode, credentials = {} }: ShownProvider): Record<string, string> | undefined {
  const examples = Object.entries(credentials).map(([name, { example }]) => [name, example ?? ''] as const);
  const isPractice =
    auth_mode === 'API_KEY' && examples.length > 0 && examples.every(([, example]) => example.startsWith('practice-'));
  return isPractice ? Object.fromEntries(examples) : undefined;
}

async function remove(context: CliContext, id: string, { environment, integrationId }: Options): Promise<void> {
  const { terminal } = context;
  const hub = await context.hubs.open(environment);
  const { connection_id, provider_config_key } = await locateConnection(context, hub, id, integrationId);
  await confirm(context, `Delete ${connection_id} of ${provider_config_key} with its records?`);
  await hub.call('DELETE', `/connections/${encodeURIComponent(connection_id)}`, { query: { provider_config_key } });
  terminal.printJson({ deleted: connection_id });
  terminal.print(`${terminal.colors.green('✓')} ${connection_id} deleted`);
}

async function token(context: CliContext, id: string, { environment, integrationId }: Options): Promise<void> {
  const { terminal } = context;
  const hub = await context.hubs.open(environment);
  const { credentials = {} } = await readConnection(hub, await locateConnection(context, hub, id, integrationId));
  const value = credentials['access_token'] ?? credentials['token'] ?? credentials['apiKey'] ?? credentials;
  terminal.printJson(typeof value === 'string' ? { token: value } : value);
  terminal.printValue(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}

function readConnection(
  hub: HubClient,
  { connection_id, provider_config_key }: ListedConnection,
  headers: Record<string, string> = {},
): Promise<ListedConnection> {
  const path = `/connections/${encodeURIComponent(connection_id)}`;
  return hub.call('GET', path, { query: { provider_config_key }, headers });
}
