import type { Command } from 'commander';
import type { OperationListItem } from '../../log/dashboard-logs.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { environmentOption } from '../command-options.ts';
import type { DashboardSession } from '../hub/dashboard-session.ts';
import { locateConnection } from '../hub/find-connection.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { openBrowser } from '../hub/open-browser.ts';
import { readProvider } from '../hub/provider-fields.ts';
import { createIntegration, readIntegrations } from './integrations-command.ts';

interface Options {
  environment: string;
  browser?: boolean;
  code?: boolean;
  reconnect?: string;
  user?: string;
  timeout: string;
}

/** As long as the link of a sign-in works (http-api.md 6). */
const MOST_SECONDS = 1800;

/** Providers whose app the hub has itself; it prepares their integration. */
const PRACTICE: readonly string[] = ['practice-oauth2', 'practice-oauth1'];

export function addConnect(program: Command, context: CliContext): void {
  environmentOption(program.command('connect'))
    .description('open the sign-in at a provider, or show its code, wait, and print the connection')
    .argument('<provider>', 'an integration, or a provider, whose integration is created if there is none')
    .option('--reconnect <connection_id>', 'sign in again for this connection')
    .option('--user <id>', 'end user that the connection belongs to')
    .option('--browser', 'open the browser also where no terminal is')
    .option('--no-browser', 'only print the link')
    .option('--code', 'sign in with a code, where the provider offers it; default where nothing else works')
    .option('--no-code', 'sign in on the page of the link')
    .option('--timeout <seconds>', 'how long to wait', String(MOST_SECONDS))
    .action((name: string, options: Options) => connect(context, name, options));
}

async function connect(context: CliContext, name: string, options: Options): Promise<void> {
  const { terminal } = context;
  const seconds = Number(options.timeout);
  if (!(seconds > 0 && seconds <= MOST_SECONDS))
    throw new CliFailure(`--timeout takes seconds, ${MOST_SECONDS} at most, not "${options.timeout}".`, EXIT.usage);
  const session = await context.hubs.logIn();
  const hub = await context.hubs.open(options.environment);
  const key = await findIntegration(context, { hub, session }, name, options.environment);
  const started = await startSignIn(context, hub, key, options);
  const connectionId = (await isWithCode(hub, key, options))
    ? await waitForCode(context, hub, { key, token: started.token, seconds })
    : await waitForPage(context, session, { key, seconds, options, link: started.connect_link });
  const connection = await locateConnection(context, hub, connectionId, key);
  terminal.printJson(connection);
  terminal.printValue(connectionId);
  terminal.note(
    `${terminal.colors.green('✓')} ${connectionId} of ${key} ${options.reconnect ? 'signed in again' : 'connected'}`,
  );
}

/** Whether the person enters a code at the provider, rather than to sign in on the page of the link. */
async function isWithCode(hub: HubClient, key: string, { code }: Options): Promise<boolean> {
  if (code === false) return false;
  const ways = (await readIntegrations(hub)).find(({ unique_key }) => unique_key === key)?.sign_in ?? [];
  if (code && !ways.includes('code'))
    throw new CliFailure(`The provider of "${key}" offers no sign-in with a code.`, EXIT.usage);
  return code ?? ways[0] === 'code';
}

async function waitForCode(
  context: CliContext,
  hub: HubClient,
  wait: { key: string; token: string; seconds: number },
): Promise<string> {
  const { provider = wait.key } = (await readIntegrations(hub)).find(({ unique_key }) => unique_key === wait.key) ?? {};
  const { waitForCodeSignIn } = await import('./connect-with-code.ts');
  return waitForCodeSignIn(context, hub, { ...wait, provider });
}

async function waitForPage(
  context: CliContext,
  session: DashboardSession,
  { link, ...wanted }: Wanted & { link: string },
): Promise<string> {
  const { config, env, terminal } = context;
  const waiting = awaitConnection(context, session, wanted);
  // The failure is thrown where it is awaited below, after the link was shown.
  waiting.catch(() => {});
  const isWanted = wanted.options.browser ?? (terminal.isInteractive || Boolean(env['BROWSER']));
  const isOpened = isWanted && (await openBrowser({ url: link, folder: config.home, env }));
  terminal.tell(isOpened ? `The sign-in is open in the browser: ${link}` : `Open this address to sign in: ${link}`);
  return terminal.progress('Waiting for the sign-in', waiting);
}

interface Access {
  hub: HubClient;
  session: DashboardSession;
}

/** The integration of this key, or the only one of this provider; else a new one. */
async function findIntegration(
  context: CliContext,
  { hub, session }: Access,
  name: string,
  environment: string,
): Promise<string> {
  const all = await readIntegrations(hub);
  if (all.some(({ unique_key }) => unique_key === name)) return name;
  const ofProvider = all.filter(({ provider }) => provider === name);
  const [only, ...others] = ofProvider;
  if (others.length > 0)
    return context.terminal.choose(
      'Which integration? (number)',
      ofProvider.map(({ unique_key }) => ({ label: unique_key, value: unique_key })),
      `There are several integrations of ${name}: ${ofProvider.map(({ unique_key }) => unique_key).join(', ')}. Name one.`,
    );
  if (only) return only.unique_key;
  if (PRACTICE.includes(name)) return preparePractice(context, { hub, session }, name, environment);
  return makeIntegration(context, hub, name);
}

/** The hub knows the app of its own practice provider. */
async function preparePractice(
  context: CliContext,
  { hub, session }: Access,
  name: string,
  environment: string,
): Promise<string> {
  // The hub itself creates the integration of the first one.
  const isFirst = name === PRACTICE[0];
  if (!isFirst)
    await createIntegration(context, hub, { provider: await readProvider(hub, name), key: name, given: {} });
  const { integrationKey } = await session.call<{ integrationKey: string }>('POST', '/api/v1/practice/sign-in', {
    query: { env: environment },
    body: isFirst ? {} : { integrationKey: name },
  });
  return integrationKey;
}

async function makeIntegration(context: CliContext, hub: HubClient, name: string): Promise<string> {
  const provider = await readProvider(hub, name);
  const { unique_key } = await createIntegration(context, hub, { provider, key: name, given: undefined });
  return unique_key;
}

interface StartedSession {
  token: string;
  connect_link: string;
}

async function startSignIn(
  context: CliContext,
  hub: HubClient,
  key: string,
  { reconnect, user }: Options,
): Promise<StartedSession> {
  const owner = user === undefined ? {} : { end_user: { id: user } };
  if (reconnect === undefined) {
    // With `tags` the end user may be absent (http-api.md 6).
    const body = { allowed_integrations: [key], tags: {}, ...owner };
    const { data } = await hub.call<{ data: StartedSession }>('POST', '/connect/sessions', { body });
    return data;
  }
  await locateConnection(context, hub, reconnect, key);
  const body = { connection_id: reconnect, integration_id: key, ...owner };
  const { data } = await hub.call<{ data: StartedSession }>('POST', '/connect/sessions/reconnect', { body });
  return data;
}

interface Wanted {
  key: string;
  seconds: number;
  options: Options;
}

/** What a provider sends when a person refuses. */
const REFUSED = /\b(?:access|user|permission|consent)_denied\b|\buser_refused\b/i;

/** A sign-in of this integration that did not lead to a connection. It ends nothing: the page offers another try. */
function failedSignIn(row: OperationListItem, key: string): { id: string; reason: string } | undefined {
  const { type, action } = row.operation;
  if (type !== 'auth' || action !== 'create_connection' || row.state !== 'failed' || row.integrationName !== key)
    return undefined;
  const why = row.error?.message ?? row.message;
  const reason = REFUSED.test(why) ? 'The sign-in was refused at the provider.' : `The sign-in failed: ${why}`;
  return { id: row.id, reason };
}

/** Resolves to the id of the connection that the sign-in creates, or renews. */
async function awaitConnection(
  { signal, terminal }: CliContext,
  session: DashboardSession,
  { key, options, seconds }: Wanted,
): Promise<string> {
  const told = new Set<string>();
  const change = options.reconnect === undefined ? 'created' : 'updated';
  const limit = AbortSignal.timeout(seconds * 1000);
  try {
    for await (const { data, event } of session.events(options.environment, AbortSignal.any([signal, limit]))) {
      const failed = event === 'operation' ? failedSignIn(data as OperationListItem, key) : undefined;
      if (failed && !told.has(failed.id)) {
        told.add(failed.id);
        terminal.tell(`${failed.reason} This command waits for another try on that page; Ctrl-C ends it.`);
      }
      if (event !== 'connection') continue;
      const seen = data as { integrationKey: string; connectionId: string; change: string };
      const isMeant = options.reconnect === undefined || seen.connectionId === options.reconnect;
      if (seen.integrationKey === key && seen.change === change && isMeant) return seen.connectionId;
    }
  } catch (error) {
    if (signal.aborted)
      throw new CliFailure('Stopped waiting. The link still works until it expires.', EXIT.interrupted);
    if (!limit.aborted) throw error;
    throw new CliFailure(`Nobody signed in within ${seconds} seconds.`);
  }
  throw new CliFailure('The hub ended while this command waited for the sign-in.', EXIT.stopped);
}
