import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { environmentOption, integrationOption, lastSyncDateOption } from '../command-options.ts';
import type { DryRunCommandOptions } from './run-dry.ts';

export function addDryrun(program: Command, context: CliContext): void {
  const command = environmentOption(program.command('dryrun'), 'environment of the connection');
  lastSyncDateOption(command, 'when the sync last succeeded');
  // `-i` is the input here, as in the reference (functions.md 8.1).
  integrationOption(command, 'integration, when several have a function of that name', '--integration <key>');
  command
    .description('run one function against the real service; what it saves is shown and not kept')
    .argument('[name]', 'name of the function')
    .argument('[connection_id]', 'connection to run it on')
    .option('--variant <name>', 'variant of the sync')
    .option('-i, --input <json>', 'input of an action, or @file.json')
    .option('-m, --metadata <json>', 'metadata in place of the connection’s own (syncs), or @file.json')
    .option('-c, --checkpoint <json>', 'checkpoint to start from, or @file.json')
    .option('--validate', 'check input, output and records against the models')
    .option('--validation', 'the same')
    .option('--save', 'record the run as a fixture, without secrets (implies --validate)')
    .option('--save-responses', 'the same')
    .option('--diagnostics', 'show time, memory and requests of the run')
    .action(async (name: string | undefined, connectionId: string | undefined, options: DryRunCommandOptions) =>
      (await import('./run-dry.ts')).dryrun(context, name, connectionId, options),
    );
}
