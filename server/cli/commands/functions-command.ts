import type { Command } from 'commander';
import type { MissingFunctions } from '../../contract/dashboard/dashboard-functions.ts';
import type { CliContext } from '../cli-context.ts';
import { confirmOption, environmentOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';

const MISSING = '/api/v1/functions/missing';

export function addFunctions(program: Command, context: CliContext): void {
  const parent = program
    .command('functions')
    .description('functions of the hub: removing those whose files are missing');
  confirmOption(environmentOption(parent.command('prune')))
    .description('remove functions whose files are missing, with their syncs and records')
    .action(({ environment }: { environment: string }) => prune(context, environment));
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
