import { Command, CommanderError } from 'commander';
import type { CliContext, GlobalOptions } from './cli-context.ts';
import { CliFailure, EXIT } from './cli-failure.ts';
import { addCompile } from './commands/compile-command.ts';
import { addDryrun } from './commands/dryrun-command.ts';
import { addServe } from './commands/serve-command.ts';
import { addTest } from './commands/test-command.ts';

type AddCommand = (program: Command, context: CliContext) => void;

/** In the order of the help. */
const COMMANDS: AddCommand[] = [addCompile, addDryrun, addTest, addServe];

/** The whole command line: commands, global options, suggestions for misspelt names. */
export function createProgram(context: CliContext): Command {
  const program = new Command('homeport');
  program
    .description('Integrations on your own computer: functions, connections and the hub that runs them.')
    .version(context.resources.version, '-v, --version', 'print the version')
    .helpCommand('help [command]', 'explain a command')
    .showHelpAfterError('Run "homeport help" for all commands.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.write(text),
      writeErr: (text) => context.terminal.note(text.trimEnd()),
      getOutHasColors: () => context.terminal.colors.isColorSupported,
    });
  for (const add of COMMANDS) add(program, context);
  for (const command of withSubcommands(program)) addGlobalOptions(command);
  program.hook('preAction', (_, command) => applyGlobalOptions(context, command.optsWithGlobals<GlobalOptions>()));
  return program;
}

/** Runs a command line; the exit status. */
export async function runProgram(program: Command, context: CliContext, args: string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    if (!(error instanceof CliFailure)) throw error;
    const { terminal } = context;
    if (terminal.isJson) terminal.printJson({ error: { message: error.message, ...error.details } });
    else terminal.error(error.message);
    return error.status;
  }
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function addGlobalOptions(command: Command): void {
  command
    .option('--json', 'print results as JSON')
    .option('--auto-confirm', 'answer yes to questions')
    .option('--debug', 'show more of what happens when something fails')
    .option('--no-interactive', 'never ask')
    // Taken for scripts written for other command lines; there is nothing to update and nothing is reported.
    .option('--no-dependency-update', 'accepted, without effect')
    .option('--no-telemetry', 'accepted, without effect');
}

function applyGlobalOptions({ terminal }: CliContext, { json, interactive }: GlobalOptions): void {
  terminal.isJson = json === true;
  if (interactive === false || json) terminal.isInteractive = false;
}
