import { Command, CommanderError } from 'commander';
import type { CliContext } from './cli-context.ts';
import { CliFailure, EXIT, fileFailure } from './cli-failure.ts';
import { COMMAND_EXAMPLES } from './command-examples.ts';
import { addClone } from './commands/clone-command.ts';
import { addCompile } from './commands/compile-command.ts';
import { addCompletion } from './commands/completion-command.ts';
import { addConnections } from './commands/connections-command.ts';
import { addCreate } from './commands/create-command.ts';
import { addData } from './commands/data-command.ts';
import { addDeploy } from './commands/deploy-command.ts';
import { addDev } from './commands/dev-command.ts';
import { addDoctor } from './commands/doctor-command.ts';
import { addDryrun } from './commands/dryrun-command.ts';
import { addEnvironments } from './commands/environments-command.ts';
import { addFunctions } from './commands/functions-command.ts';
import { addGenerate } from './commands/generate-command.ts';
import { addKey } from './commands/key-command.ts';
import { addLogs } from './commands/logs-command.ts';
import { addMcp } from './commands/mcp-command.ts';
import { addProviders } from './commands/providers-command.ts';
import { addPull } from './commands/pull-command.ts';
import { addServe } from './commands/serve-command.ts';
import { addSettings } from './commands/settings-command.ts';
import { addTest } from './commands/test-command.ts';
import { addTransfer } from './commands/transfer-command.ts';
import { addWebhooks } from './commands/webhooks-command.ts';

interface GlobalOptions {
  json?: boolean;
  autoConfirm?: boolean;
  interactive?: boolean;
}

type AddCommand = (program: Command, context: CliContext) => void;

/** In the order of the help. */
const COMMANDS: AddCommand[] = [
  addCreate,
  addClone,
  addDev,
  addCompile,
  addDryrun,
  addTest,
  addGenerate,
  addDeploy,
  addPull,
  addFunctions,
  addConnections,
  addLogs,
  addWebhooks,
  addProviders,
  addSettings,
  addMcp,
  addEnvironments,
  addTransfer,
  addData,
  addKey,
  addServe,
  addDoctor,
  addCompletion,
];

/** Returns the whole command line: commands, global options, suggestions for misspelt names. */
export function createProgram(context: CliContext): Command {
  const program = new Command('homeport');
  program
    .description('Integrations on your own computer: functions, connections and the hub that runs them.')
    .version(context.resources.version, '-v, --version', 'print the version')
    .helpCommand('help [command]', 'explain a command')
    // A command may have options with the same names as global ones: `deploy -v 2`.
    .enablePositionalOptions()
    .showHelpAfterError('Run "homeport help" for all commands.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.write(text),
      writeErr: (text) => context.terminal.note(text.trimEnd()),
      getOutHasColors: () => context.terminal.colors.isColorSupported,
    });
  for (const add of COMMANDS) add(program, context);
  for (const command of withSubcommands(program)) {
    addGlobalOptions(command);
    if (command !== program) command.showHelpAfterError(`Run "homeport help ${pathOf(command)}" for its options.`);
  }
  addExamples(program);
  program.hook('preAction', (_, command) => applyGlobalOptions(context, command));
  return program;
}

/** Runs a command line and resolves to the exit status. */
export async function runProgram(program: Command, context: CliContext, args: string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    const failure = error instanceof CliFailure ? error : fileFailure(error);
    if (!failure) throw error;
    const { terminal } = context;
    if (terminal.isJson)
      terminal.printJson({ error: { message: terminal.withCommands(failure.message), ...failure.details } });
    else terminal.error(failure.message);
    return failure.status;
  }
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function addExamples(program: Command): void {
  for (const command of withSubcommands(program)) {
    const lines = COMMAND_EXAMPLES[pathOf(command)] ?? [];
    if (lines.length > 0)
      command.addHelpText('after', ['\nExamples:', ...lines.map((line) => `  homeport ${line}`)].join('\n'));
  }
  program.addHelpText(
    'after',
    '\nIn a checkout the command is "npx homeport", in a project of "homeport init" it is "npm run homeport --".\n"homeport help <command>" shows examples.',
  );
}

/** The names of a command and its parents, without the program's name. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? '' : [pathOf(parent), command.name()].filter((name) => name !== '').join(' ');
}

function addGlobalOptions(command: Command): void {
  command
    .option('--json', 'print results as JSON')
    .option('--auto-confirm', 'answer yes to questions')
    .option('--debug', 'show more details when something fails')
    .option('--no-interactive', 'never ask')
    // Accepted for scripts of other command lines: there are no dependencies to update and no usage data is sent.
    .option('--no-dependency-update', 'accepted, without effect')
    .option('--no-telemetry', 'accepted, without effect');
}

/** Global options may come before or after the command. */
function applyGlobalOptions({ terminal, options }: CliContext, command: Command): void {
  for (let one: Command | null = command; one; one = one.parent) {
    const { autoConfirm, interactive, json } = one.opts<GlobalOptions>();
    options.autoConfirm ||= autoConfirm === true;
    terminal.isJson ||= json === true;
    if (interactive === false || json) terminal.isInteractive = false;
  }
}
