import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { environmentOption, integrationOption } from '../command-options.ts';
import type { TestOptions } from './run-tests.ts';

export function addTest(program: Command, context: CliContext): void {
  const command = environmentOption(program.command('test'), 'environment of the connection, with --drift');
  integrationOption(command, 'only functions of one integration')
    .description('replay recorded runs (*.test.json) without a network and compare')
    .argument('[names...]', 'functions; all of them when none is named')
    .option('--update', 'accept the results as the expected ones from now on')
    .option('--drift', 'run those that only read on a connection again, and compare the responses by their shape')
    .option('--connection <id>', 'connection for --drift; by default the only one of the integration')
    .action(async (names: string[], options: TestOptions) => {
      const { checkDrift, runTests } = await import('./run-tests.ts');
      await (options.drift ? checkDrift : runTests)(context, names, options);
    });
}
