import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliFailure } from '../cli-failure.ts';
import { confirmOption, environmentOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import { keyVariable } from '../hub/hub-access.ts';
import type { HubClient } from '../hub/hub-client.ts';

interface Options {
  environment: string;
}

interface Environment {
  id: number;
  name: string;
}

const PATH = '/environments';
/** The hub never deletes the environment of this name (http-api.md 12). */
const PRODUCTION_NAME = 'prod';

export function addEnvironments(program: Command, context: CliContext): void {
  const parent = program.command('environments').description('list, create and delete environments');
  const add = (name: string): Command => environmentOption(parent.command(name), 'environment whose key is used');
  add('list')
    .description('all environments')
    .action((options: Options) => list(context, options));
  confirmOption(add('create'))
    .description('make one; integrations and connections of others are not in it; "prod" cannot be deleted again')
    .argument('<name>')
    .action((name: string, options: Options) => create(context, name, options));
  confirmOption(add('delete'))
    .description('delete one with its integrations, connections and records')
    .argument('<name>')
    .action((name: string, options: Options) => remove(context, name, options));
}

async function list({ hubs, terminal }: CliContext, { environment }: Options): Promise<void> {
  const environments = await read(await hubs.open(environment));
  terminal.printJson(environments);
  terminal.table(
    ['ENVIRONMENT', 'ID'],
    environments.map(({ id, name }) => [name, String(id)]),
  );
}

async function create(context: CliContext, name: string, { environment }: Options): Promise<void> {
  const { hubs, terminal } = context;
  const hub = await hubs.open(environment);
  if (name === PRODUCTION_NAME && !(await read(hub)).some((one) => one.name === name))
    await confirm(context, `"${name}" is the production environment, which cannot be deleted again. Create it?`);
  const { data } = await hub.call<{ data: Environment }>('POST', PATH, { body: { name } });
  terminal.printJson(data);
  terminal.print(`${terminal.colors.green('✓')} ${data.name} created`);
  terminal.note(
    `Apps find its key in the dashboard; for commands on another computer it goes into ${keyVariable(name)}.`,
  );
}

async function remove(context: CliContext, name: string, { environment }: Options): Promise<void> {
  const { hubs, terminal } = context;
  const hub = await hubs.open(environment);
  const found = (await read(hub)).find((one) => one.name === name);
  if (!found) throw new CliFailure(`There is no environment "${name}".`);
  await confirm(context, `Delete ${name} with its integrations, connections and records?`);
  await hub.call('DELETE', `${PATH}/${found.id}`);
  terminal.printJson({ deleted: name });
  terminal.print(`${terminal.colors.green('✓')} ${name} deleted`);
}

async function read(hub: HubClient): Promise<Environment[]> {
  return (await hub.call<{ data: Environment[] }>('GET', PATH)).data;
}
