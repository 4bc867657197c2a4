import type { Command } from 'commander';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { environmentOption } from '../command-options.ts';
import type { HubClient } from '../hub/hub-client.ts';

interface Options {
  environment: string;
}

interface Variable {
  name: string;
  value: string;
}

type Settings = Record<string, unknown> & { variables: Variable[] };

const PATH = '/environment/settings';
const VARIABLE = 'variables.';
/** A text, also when it looks like a number. */
const TOKEN = 'approvals.token';
const HIDDEN = '••••••••';

export function addSettings(program: Command, context: CliContext): void {
  const parent = program
    .command('settings')
    .description('settings of an environment, by names like webhook.primary_url or variables.MY_KEY');
  const add = (name: string): Command => environmentOption(parent.command(name));
  add('get')
    .description('all settings, or the value of one; variables show their value only when they are named')
    .argument('[name]')
    .action((name: string | undefined, options: Options) => get(context, name, options));
  add('set')
    .description('change one; an empty value clears it')
    .argument('<name>')
    .argument('<value>')
    .action((name: string, value: string, options: Options) => set(context, name, value, options));
  add('unset')
    .description('clear one, or remove a variable')
    .argument('<name>')
    .action((name: string, options: Options) => unset(context, name, options));
}

async function get(context: CliContext, name: string | undefined, { environment }: Options): Promise<void> {
  const { terminal } = context;
  const settings = await read(await context.hubs.open(environment));
  if (name !== undefined) {
    const value = settingOf(settings, name);
    terminal.printJson(value);
    // An unset value is nothing, for scripts such as `url=$(homeport settings get webhook.primary_url)`.
    terminal.printValue(value === null || value === undefined ? '' : textOf(value));
    return;
  }
  const shown = { ...settings, variables: settings.variables.map((one) => ({ ...one, value: HIDDEN })) };
  terminal.printJson(shown);
  terminal.table(
    ['SETTING', 'VALUE'],
    flatten(shown).map(([key, value]) => [key, textOf(value)]),
  );
}

async function set(context: CliContext, name: string, text: string, { environment }: Options): Promise<void> {
  const hub = await context.hubs.open(environment);
  const settings = await read(hub);
  if (name.startsWith(VARIABLE)) {
    const variable = { name: name.slice(VARIABLE.length), value: text };
    const isKnown = settings.variables.some((one) => one.name === variable.name);
    const variables = isKnown
      ? settings.variables.map((one) => (one.name === variable.name ? variable : one))
      : [...settings.variables, variable];
    await change(context, hub, name, { variables });
    return;
  }
  const present = settingOf(settings, name);
  await change(context, hub, name, nested(name, name === TOKEN ? text : parse(text, present)));
}

async function unset(context: CliContext, name: string, { environment }: Options): Promise<void> {
  const hub = await context.hubs.open(environment);
  const settings = await read(hub);
  const present = settingOf(settings, name);
  if (typeof present === 'boolean')
    throw new CliFailure(
      `"${name}" is on or off and cannot be cleared: homeport settings set ${name} false`,
      EXIT.usage,
    );
  const empty = Array.isArray(present) ? [] : null;
  const variables = settings.variables.filter((one) => `${VARIABLE}${one.name}` !== name);
  await change(context, hub, name, name.startsWith(VARIABLE) ? { variables } : nested(name, empty));
}

async function change(context: CliContext, hub: HubClient, name: string, body: unknown): Promise<void> {
  const { terminal } = context;
  await hub.call('PATCH', PATH, { body });
  terminal.printJson({ changed: name });
  terminal.print(`${terminal.colors.green('✓')} ${name} changed`);
}

async function read(hub: HubClient): Promise<Settings> {
  return (await hub.call<{ data: Settings }>('GET', PATH)).data;
}

function flatten({ variables, ...rest }: Settings): Array<[string, unknown]> {
  const groups = Object.entries(rest).flatMap(
    ([key, value]): Array<[string, unknown]> =>
      isJsonObject(value) ? Object.entries(value).map(([part, one]) => [`${key}.${part}`, one]) : [[key, value]],
  );
  return [...groups, ...variables.map(({ name, value }): [string, unknown] => [`${VARIABLE}${name}`, value])];
}

function settingOf(settings: Settings, name: string): unknown {
  const found = flatten(settings).find(([key]) => key === name);
  if (found) return found[1];
  throw new CliFailure(`There is no setting "${name}". "homeport settings get" shows all of them.`);
}

/**
 * Converts the value to the setting's type. Lists are separated by commas; numbers and switches are recognised by their
 * text.
 */
function parse(text: string, present: unknown): unknown {
  if (text === '' || text === 'null') return Array.isArray(present) ? [] : null;
  if (Array.isArray(present)) return text.split(',').map((part) => part.trim());
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+$/.test(text) ? Number(text) : text;
}

function nested(name: string, value: unknown): Record<string, unknown> {
  const [group = '', part] = name.split('.');
  return part === undefined ? { [group]: value } : { [group]: { [part]: value } };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return Array.isArray(value) ? value.join(',') : String(value);
}
