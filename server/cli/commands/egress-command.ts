import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.ts';
import type { RunOptions } from '../run/run-acts.ts';

/** Loaded when the command runs. */
const acts = () => import('../run/run-acts.ts');

const collect = (one: string, all: readonly string[] = []): string[] => [...all, one];

/** Runs a command that gets placeholders in the place of credentials (agents.md 8). */
export function addRun(program: Command, context: CliContext): void {
  program
    .command('run')
    .description(
      'run a command with placeholders instead of credentials; the hub puts the real ones into its requests. Ends with the status of the command',
    )
    .argument('<command...>', 'the command and its arguments, after --')
    // What follows the command is the command's own.
    .passThroughOptions()
    .option(
      '-c, --connection <connection_id>',
      'a connection that the command may use, also as integration/connection; may be repeated (default: the only one of each integration)',
      collect,
    )
    .option('--session <session_id>', 'the connections of this agent session; the run ends with it')
    .option('--env <NAME=connection>', 'a variable for the placeholder of a connection; may be repeated', collect)
    .option('-e, --environment <name>', 'environment (default: dev)')
    .addOption(
      new Option('--other-hosts <rule>', 'requests to hosts that belong to no connection')
        .choices(['pass', 'refuse', 'ask'])
        .default('pass'),
    )
    .option('--allow-host <host>', 'a host, host:port or *.host that passes; may be repeated', collect)
    .option('--refuse-host <host>', 'one that is refused; may be repeated', collect)
    .option(
      '--limit <name=value>',
      'calls, writes, calls_per_minute, hosts or methods; may be repeated: --limit writes=10 --limit methods=GET,POST',
      collect,
    )
    .action(async (words: string[], options: RunOptions) =>
      (await acts()).runWithPlaceholders(context, words, options),
    );
}
