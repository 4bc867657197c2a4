import type { Command } from 'commander';
import type { MissingFunctions } from '../../functions/dashboard-functions.contract.ts';
import { localTime } from '../../platform/lib/local-time.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirmOption, environmentOption, integrationOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { readIntegrations } from './integrations-command.ts';

interface ListOptions {
  environment: string;
  integrationId?: string;
  type?: string;
}

interface GetOptions extends ListOptions {
  code?: boolean;
}

interface DeployedFunction extends Record<string, unknown> {
  name: string;
  type: 'sync' | 'action' | 'on-event';
  description?: string;
  enabled: boolean;
  last_deployed: string;
  runs?: string | null;
  provider_config_key: string;
}

/** As many as the API gives at a time (http-api.md 3). */
const PAGE = 100;
const TYPES = ['sync', 'action', 'on-event'];

const MISSING = '/api/v1/functions/missing';

export function addFunctions(program: Command, context: CliContext): void {
  const parent = program.command('functions').description('functions of the hub: list, show and prune them');
  const add = (name: string): Command =>
    integrationOption(environmentOption(parent.command(name)), 'only of this integration').option(
      '-t, --type <type>',
      'only sync, action or on-event',
    );
  add('list')
    .description('all functions that are deployed')
    .action((options: ListOptions) => list(context, options));
  add('get')
    .description('one function with its schemas')
    .argument('<name>')
    .option('--code', 'print its source instead')
    .action((name: string, options: GetOptions) => get(context, name, options));
  confirmOption(environmentOption(parent.command('prune')))
    .description('remove functions whose files are missing, with their syncs and records')
    .action(({ environment }: { environment: string }) => prune(context, environment));
}

async function list(context: CliContext, options: ListOptions): Promise<void> {
  const { terminal } = context;
  const functions = await readFunctions(await context.hubs.open(options.environment), options);
  terminal.printJson(functions);
  if (functions.length === 0) {
    const isNarrowed = options.integrationId !== undefined || options.type !== undefined;
    terminal.note(
      isNarrowed ? 'No function fits.' : 'There are no functions yet. "homeport deploy" brings those of a project.',
    );
    return;
  }
  terminal.table(
    ['FUNCTION', 'TYPE', 'INTEGRATION', 'STATE', 'RUNS', 'DEPLOYED', 'DESCRIPTION'],
    functions.map((one) => [
      one.name,
      one.type,
      one.provider_config_key,
      one.enabled ? 'on' : 'off',
      one.runs ?? '',
      localTime(one.last_deployed),
      one.description ?? '',
    ]),
  );
}

async function get(context: CliContext, name: string, options: GetOptions): Promise<void> {
  const { terminal } = context;
  const hub = await context.hubs.open(options.environment);
  const all = await readFunctions(hub, options, name);
  const found = all.filter((one) => one.name === name);
  const [only, ...others] = found;
  if (!only) throw new CliFailure(`There is no function "${name}". "homeport functions list" shows all of them.`);
  const chosen =
    others.length === 0
      ? only
      : await terminal.choose(
          'Which one? (number)',
          found.map((value) => ({ label: `${value.type} of ${value.provider_config_key}`, value })),
          `There are ${found.length} functions "${name}": choose with --integration and --type.`,
        );
  if (!options.code) {
    terminal.printJson(chosen);
    terminal.printValue(JSON.stringify(chosen, null, 2));
    return;
  }
  const path = `/integrations/${encodeURIComponent(chosen.provider_config_key)}/functions/${encodeURIComponent(name)}/code`;
  const source = await hub.call<{ type: string; code: string }>('GET', path, { query: { type: chosen.type } });
  terminal.printJson(source);
  if (!terminal.isJson) terminal.write(source.code.endsWith('\n') ? source.code : `${source.code}\n`);
}

async function readFunctions(
  hub: HubClient,
  { integrationId, type }: ListOptions,
  search?: string,
): Promise<DeployedFunction[]> {
  if (type !== undefined && !TYPES.includes(type))
    throw new CliFailure(`--type is one of ${TYPES.join(', ')}, not "${type}".`, EXIT.usage);
  const keys =
    integrationId === undefined ? (await readIntegrations(hub)).map(({ unique_key }) => unique_key) : [integrationId];
  const lists = await Promise.all(keys.map((key) => readFunctionsOf(hub, key, { type, search })));
  return lists.flat();
}

async function readFunctionsOf(
  hub: HubClient,
  key: string,
  query: { type: string | undefined; search: string | undefined },
): Promise<DeployedFunction[]> {
  const found: DeployedFunction[] = [];
  for (let page = 0; ; page += 1) {
    const { data, pagination } = await hub.call<{ data: DeployedFunction[]; pagination: { total: number } }>(
      'GET',
      `/integrations/${encodeURIComponent(key)}/functions`,
      { query: { ...query, page: String(page), limit: String(PAGE) } },
    );
    found.push(...data.map((one) => ({ ...one, provider_config_key: key })));
    if (data.length === 0 || found.length >= pagination.total) return found;
  }
}

async function prune(context: CliContext, environment: string): Promise<void> {
  const { hubs, terminal } = context;
  const session = await hubs.logIn();
  const query = { env: environment };
  const { functions, isHeld } = await session.call<MissingFunctions>('GET', MISSING, { query });
  if (functions.length === 0) {
    terminal.printJson({ removed: 0, functions });
    terminal.note('No file of a function is missing.');
    return;
  }
  terminal.table(
    ['FUNCTION', 'TYPE', 'FILE', 'STATE', 'SYNCS', 'RECORDS'],
    functions.map((one) => [
      one.name,
      one.type,
      one.file,
      one.since === null ? 'still running' : `off since ${one.since}`,
      String(one.syncs),
      String(one.records),
    ]),
  );
  if (isHeld) terminal.note('So many files are missing at once that no function was switched off yet.');
  const question = `Remove ${count(functions.length, 'function')} for good, with ${count(sum(functions, 'syncs'), 'sync')} and ${count(sum(functions, 'records'), 'record')}?`;
  await confirm(context, question);
  const keys = functions.map(({ integrationKey, type, name }) => ({ integrationKey, type, name }));
  const { removed } = await session.call<{ removed: number }>('POST', `${MISSING}/prune`, {
    query,
    body: { functions: keys },
  });
  terminal.printJson({ removed, functions });
  terminal.print(`${terminal.colors.green('✓')} ${count(removed, 'function')} removed`);
}

function sum(functions: MissingFunctions['functions'], key: 'syncs' | 'records'): number {
  return functions.reduce((total, one) => total + one[key], 0);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
