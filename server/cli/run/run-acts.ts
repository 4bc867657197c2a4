import { rm } from 'node:fs/promises';
import type { NewCommandRunBody, OpenedCommandRun } from '../../egress/dashboard-command-runs.contract.ts';
import { choosePins } from '../agents/agent-acts.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { listConnections, locateConnection } from '../hub/find-connection.ts';
import { DEFAULT_ENVIRONMENT } from '../hub/hub-access.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { type LimitName, readLimitValue } from '../limit-values.ts';
import { followRun } from './follow-run.ts';
import { runChild } from './run-child.ts';
import { commandEnvironment, writeRunFiles } from './run-environment.ts';

export interface RunOptions {
  connection?: string[];
  session?: string;
  env?: string[];
  environment?: string;
  otherHosts: NewCommandRunBody['otherHosts'];
  allowHost?: string[];
  refuseHost?: string[];
  limit?: string[];
}

type Connections = NewCommandRunBody['connections'];

const ROUTE = '/api/v1/command-runs';
/** Longer commands are shortened in the log. */
const SHOWN_COMMAND = 500;

/** Runs the command, and ends as it ended. */
export async function runWithPlaceholders(context: CliContext, words: string[], options: RunOptions): Promise<void> {
  const { env, hubs, outcome, terminal } = context;
  // Elsewhere `--env` names the environment.
  const { allowHost = [], connection = [], env: named = [], limit = [], refuseHost = [] } = options;
  const environment = options.environment ?? named.find((one) => !one.includes('=')) ?? DEFAULT_ENVIRONMENT;
  const variables = readVariables(named.filter((one) => one.includes('=')));
  if (options.session !== undefined && connection.length > 0)
    throw new CliFailure('A session brings its connections. Leave --connection out, or --session.', EXIT.usage);
  const dashboard = await hubs.logIn();
  const hub = await hubs.open(environment);
  const body: NewCommandRunBody = {
    connections: await chooseConnections(context, hub, options, variables),
    ...(options.session === undefined ? {} : { sessionId: options.session }),
    command: words.join(' ').slice(0, SHOWN_COMMAND),
    otherHosts: options.otherHosts,
    allowedHosts: allowHost,
    refusedHosts: refuseHost,
    limits: readLimitOptions(limit),
  };
  const query = { env: environment };
  const run = await dashboard.call<OpenedCommandRun>('POST', ROUTE, { query, body });
  const following = await followRun(run.followUrl, (text) => terminal.note(`homeport: ${text}`));
  try {
    for (const { connection, reason } of run.leftOut) terminal.note(`homeport: without ${connection}. ${reason}`);
    const files = await writeRunFiles(run, env);
    outcome.status = await runChild(words, commandEnvironment(env, run, files));
  } finally {
    following.stop();
    // The hub ends it by itself when the command line does not follow it any more. It may have stopped.
    await dashboard.call('DELETE', `${ROUTE}/${run.id}`, { query }).catch((error: unknown) => {
      if (!(error instanceof Error)) throw error;
    });
    await rm(run.folder, { recursive: true, force: true });
  }
}

/** A run has no cost, and nobody repeats a call in it. */
const RUN_LIMITS: readonly LimitName[] = ['calls', 'writes', 'calls_per_minute', 'hosts', 'methods'];

function readLimitOptions(pairs: string[]): NonNullable<NewCommandRunBody['limits']> {
  const limits = pairs.map((pair) => {
    const [, written = '', text = ''] = /^(\w+)=(.+)$/.exec(pair) ?? [];
    const name = RUN_LIMITS.find((one) => one === written);
    if (name === undefined)
      throw new CliFailure(
        `--limit takes calls=100, writes=10, calls_per_minute=60, hosts=… or methods=…, not "${pair}".`,
        EXIT.usage,
      );
    return [name, readLimitValue(name, text, `--limit ${name}`, [])];
  });
  return Object.fromEntries(limits);
}

/** Connections by their id, with the variables that are wanted for them. */
function readVariables(pairs: string[]): Map<string, string[]> {
  const variables = new Map<string, string[]>();
  for (const pair of pairs) {
    const [, name = '', id = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || id === '')
      throw new CliFailure(`--env takes NAME=connection, not "${pair}".`, EXIT.usage);
    variables.set(id, [...(variables.get(id) ?? []), name]);
  }
  return variables;
}

async function chooseConnections(
  context: CliContext,
  hub: HubClient,
  { connection: named = [], session }: RunOptions,
  variables: ReadonlyMap<string, readonly string[]>,
): Promise<Connections> {
  const chosen = new Map<string, Connections[number]>();
  const add = (integrationKey: string, connectionId: string, names: readonly string[] = []): void => {
    const key = JSON.stringify([integrationKey, connectionId]);
    chosen.set(key, { integrationKey, connectionId, variables: [...(chosen.get(key)?.variables ?? []), ...names] });
  };
  for (const [id, names] of variables) {
    const { connection_id, provider_config_key } = await locate(context, hub, id);
    add(provider_config_key, connection_id, names);
  }
  for (const id of named) {
    const { connection_id, provider_config_key } = await locate(context, hub, id);
    add(provider_config_key, connection_id);
  }
  if (session === undefined && chosen.size === 0)
    for (const pin of await choosePins(context, hub, [])) add(pin.integration_id, pin.connection_id);
  return [...chosen.values()];
}

/** A connection by its id, or by `integration/connection`. */
async function locate(context: CliContext, hub: HubClient, name: string) {
  const slash = name.indexOf('/');
  const [integrationId, connectionId] = [name.slice(0, slash), name.slice(slash + 1)];
  if (slash > 0) {
    const [only] = await listConnections(hub, { integrationId, connectionId });
    if (only && only.connection_id === connectionId) return only;
  }
  return locateConnection(context, hub, name, undefined);
}
