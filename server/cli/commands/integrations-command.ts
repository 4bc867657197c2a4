import type { Command } from 'commander';
import { localTime } from '../../platform/lib/local-time.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirmOption, environmentOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import type { HubClient } from '../hub/hub-client.ts';
import {
  askFields,
  integrationInputs,
  needsApp,
  readProvider,
  type ShownProvider,
  shapeOf,
} from '../hub/provider-fields.ts';
import { readObjectArgument } from '../project/json-argument.ts';

interface Options {
  environment: string;
}

interface InputOptions extends Options {
  credentials?: string;
  displayName?: string;
}

interface EditOptions extends InputOptions {
  key?: string;
  ask?: boolean;
  forwardWebhooks?: boolean;
  driftWatch?: string;
}

export interface HubIntegration extends Record<string, unknown> {
  unique_key: string;
  provider: string;
  display_name: string;
  created_at: string;
  updated_at: string;
  /** How people sign in, the usual way first; only for providers that offer a sign-in with a code. */
  sign_in?: string[];
}

const PATH = '/integrations';
const pathOf = (key: string): string => `${PATH}/${encodeURIComponent(key)}`;

/** Integrations: a provider with the app that is registered there (http-api.md 3). */
export function addIntegrations(program: Command, context: CliContext): void {
  const parent = program.command('integrations').description('integrations: list, show, create, edit and delete them');
  const add = (name: string): Command => environmentOption(parent.command(name));
  const inputs = (command: Command): Command =>
    command
      .option('--credentials <json>', 'app credentials: JSON, @app.json, or @- for standard input')
      .option('--display-name <name>', 'name in lists and on the connect page');
  add('list')
    .description('all integrations')
    .action(({ environment }: Options) => list(context, environment));
  add('get')
    .description('one integration with its webhook address; its app credentials only with --credentials')
    .argument('<key>')
    .option('--credentials', 'with the app credentials, secrets included')
    .action((key: string, options: Options & { credentials?: boolean }) => get(context, key, options));
  inputs(add('create'))
    .description('create an integration of a provider; app credentials are asked for at a terminal')
    .argument('<provider>', 'such as github; "homeport providers list --all" shows all of them')
    .argument('[key]', 'its unique key; default: the name of the provider')
    .action((provider: string, key: string | undefined, options: InputOptions) =>
      create(context, provider, key ?? provider, options),
    );
  inputs(add('edit'))
    .description('change an integration; what is not named stays')
    .argument('<key>')
    .option('--ask', 'ask for new app credentials')
    .option('--key <key>', 'a new unique key; only without connections')
    .option('--forward-webhooks', 'forward webhooks of the provider to your app')
    .option('--no-forward-webhooks', 'do not forward them')
    .option('--drift-watch <connection>', 'compare its recorded runs on this connection once a week; "off" ends that')
    .action((key: string, options: EditOptions) => edit(context, key, options));
  confirmOption(add('delete'))
    .description('delete an integration with its connections and records')
    .argument('<key>')
    .action((key: string, { environment }: Options) => remove(context, key, environment));
}

async function list({ hubs, terminal }: CliContext, environment: string): Promise<void> {
  const integrations = await readIntegrations(await hubs.open(environment));
  terminal.printJson(integrations);
  if (integrations.length === 0)
    return terminal.note('There are no integrations yet. "homeport integrations create <provider>" makes one.');
  terminal.table(
    ['INTEGRATION', 'PROVIDER', 'NAME', 'CHANGED'],
    integrations.map((one) => [one.unique_key, one.provider, one.display_name, localTime(one.updated_at)]),
  );
}

async function get(
  { hubs, terminal }: CliContext,
  key: string,
  { credentials, environment }: Options & { credentials?: boolean },
): Promise<void> {
  const hub = await hubs.open(environment);
  const include = ['webhook', ...(credentials ? ['credentials'] : [])];
  const found = await readIntegration(hub, key, include);
  terminal.printJson(found);
  terminal.printValue(JSON.stringify(found, null, 2));
}

async function create(context: CliContext, name: string, key: string, options: InputOptions): Promise<void> {
  const { hubs, terminal } = context;
  const hub = await hubs.open(options.environment);
  const provider = await readProvider(hub, name);
  const given =
    options.credentials === undefined
      ? undefined
      : await readObjectArgument('--credentials', options.credentials, context);
  const created = await createIntegration(context, hub, { provider, key, given, displayName: options.displayName });
  terminal.printJson(created);
  terminal.print(`${terminal.colors.green('✓')} ${created.unique_key} of ${created.display_name} created`);
  if (given === undefined && !terminal.isInteractive && integrationInputs(provider).length > 0)
    terminal.note(`It has no app credentials yet. ${howToGive(provider, `homeport integrations edit ${key}`)}`);
}

interface NewIntegration {
  provider: ShownProvider;
  key: string;
  given: Record<string, unknown> | undefined;
  displayName?: string | undefined;
}

/** Asks for the app's credentials where a person can answer. */
export async function createIntegration(
  context: CliContext,
  hub: HubClient,
  { displayName, given, key, provider }: NewIntegration,
): Promise<HubIntegration> {
  const inputs = integrationInputs(provider);
  const asks = given === undefined && inputs.length > 0 && (context.terminal.isInteractive || needsApp(provider));
  const otherwise = `${provider.display_name} needs the app that you register there. ${howToGive(provider, `homeport integrations create ${provider.name}`)}`;
  const values = given ?? (asks ? await askFields(context, inputs, otherwise) : {});
  const { data } = await hub.call<{ data: HubIntegration }>('POST', PATH, {
    body: {
      provider: provider.name,
      unique_key: key,
      ...(displayName === undefined ? {} : { display_name: displayName }),
      ...inputMembers(provider, values),
    },
  });
  return data;
}

/** Modes whose app credentials are the member `credentials` (http-api.md 3). */
const WITH_CREDENTIALS = ['OAUTH1', 'OAUTH2', 'TBA', 'APP', 'CUSTOM'];

/** The member of the body that takes the values: it depends on the provider. */
function inputMembers(provider: ShownProvider, values: Record<string, unknown>): Record<string, unknown> {
  if (Object.keys(values).length === 0) return {};
  if (provider.integration_config) return { integration_config: values };
  if (WITH_CREDENTIALS.includes(provider.auth_mode)) return { credentials: { type: provider.auth_mode, ...values } };
  return { custom: values };
}

function howToGive(provider: ShownProvider, command: string): string {
  const inputs = integrationInputs(provider);
  return `Give its credentials: "${command} --credentials @app.json", a document like ${shapeOf(inputs)}; @- reads standard input.`;
}

async function edit(context: CliContext, key: string, options: EditOptions): Promise<void> {
  const { hubs, terminal } = context;
  const { ask, credentials, displayName, driftWatch, environment, forwardWebhooks, key: newKey } = options;
  const hub = await hubs.open(environment);
  const provider = await readProvider(hub, (await readIntegration(hub, key)).provider);
  const otherwise = howToGive(provider, `homeport integrations edit ${key}`);
  const values =
    credentials !== undefined
      ? await readObjectArgument('--credentials', credentials, context)
      : ask
        ? await askFields(context, integrationInputs(provider), otherwise)
        : {};
  const body = {
    ...(newKey === undefined ? {} : { unique_key: newKey }),
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(forwardWebhooks === undefined ? {} : { forward_webhooks: forwardWebhooks }),
    ...inputMembers(provider, values),
  };
  if (Object.keys(body).length === 0 && driftWatch === undefined)
    throw new CliFailure(
      'Say what to change: --credentials, --ask, --display-name, --key, --forward-webhooks, --no-forward-webhooks or --drift-watch.',
      EXIT.usage,
    );
  if (driftWatch !== undefined) await setDriftWatch(context, { key, environment, connectionId: driftWatch });
  const { data } =
    Object.keys(body).length === 0
      ? { data: await readIntegration(hub, key) }
      : await hub.call<{ data: HubIntegration }>('PATCH', pathOf(key), { body });
  terminal.printJson(data);
  terminal.print(`${terminal.colors.green('✓')} ${data.unique_key} changed`);
}

/** Needs the hub of this computer: no key of an environment reaches this setting. */
async function setDriftWatch(
  { hubs, terminal }: CliContext,
  { connectionId, environment, key }: { key: string; environment: string; connectionId: string },
): Promise<void> {
  const session = await hubs.logIn();
  const path = `/api/v1/integrations/${encodeURIComponent(key)}/drift-watch`;
  const query = { env: environment };
  if (connectionId === 'off') await session.call('DELETE', path, { query });
  else await session.call('PUT', path, { query, body: { connectionId } });
  terminal.note(
    connectionId === 'off'
      ? `The drift watch of ${key} is off.`
      : `The recorded runs of ${key} are compared on ${connectionId} once a week, the first time in the next ten minutes.`,
  );
}

async function remove(context: CliContext, key: string, environment: string): Promise<void> {
  const { hubs, terminal } = context;
  const hub = await hubs.open(environment);
  await readIntegration(hub, key);
  await confirm(context, `Delete ${key} with its connections and records?`);
  await hub.call('DELETE', pathOf(key));
  terminal.printJson({ deleted: key });
  terminal.print(`${terminal.colors.green('✓')} ${key} deleted`);
}

export async function readIntegrations(hub: HubClient): Promise<HubIntegration[]> {
  return (await hub.call<{ data: HubIntegration[] }>('GET', PATH)).data;
}

async function readIntegration(hub: HubClient, key: string, include: string[] = []): Promise<HubIntegration> {
  const { body, status } = await hub.send('GET', pathOf(key), { query: { include } });
  if (status < 400) return (body as { data: HubIntegration }).data;
  if (status !== 404) throw hub.refusal(status, body);
  throw new CliFailure(`There is no integration "${key}". "homeport integrations list" shows all of them.`);
}
