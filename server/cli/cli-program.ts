import { Command, CommanderError, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { CliFailure, EXIT, EXIT_MEANINGS, fileFailure } from './cli-failure.ts';
import { COMMAND_EXAMPLES } from './command-examples.ts';
import { exitsOf } from './command-exits.ts';
import { pathOf, withSubcommands } from './command-tree.ts';
import { addActions } from './commands/actions-command.ts';
import { addAgents } from './commands/agents-command.ts';
import { addApi } from './commands/api-command.ts';
import { addClone } from './commands/clone-command.ts';
import { addCompile } from './commands/compile-command.ts';
import { addCompletion } from './commands/completion-command.ts';
import { addConnect } from './commands/connect-command.ts';
import { addConnections } from './commands/connections-command.ts';
import { addCreate } from './commands/create-command.ts';
import { addData } from './commands/data-command.ts';
import { addDeploy } from './commands/deploy-command.ts';
import { addDestinations } from './commands/destinations-command.ts';
import { addDev } from './commands/dev-command.ts';
import { addDoctor } from './commands/doctor-command.ts';
import { addDryrun } from './commands/dryrun-command.ts';
import { addRun } from './commands/egress-command.ts';
import { addEnvironments } from './commands/environments-command.ts';
import { addFunctions } from './commands/functions-command.ts';
import { addGenerate } from './commands/generate-command.ts';
import { addHub } from './commands/hub-command.ts';
import { addIntegrations } from './commands/integrations-command.ts';
import { addKey } from './commands/key-command.ts';
import { addKeys } from './commands/keys-command.ts';
import { addLogs } from './commands/logs-command.ts';
import { addMcp } from './commands/mcp-command.ts';
import { addMigrate } from './commands/migrate-command.ts';
import { addProviders } from './commands/providers-command.ts';
import { addPull } from './commands/pull-command.ts';
import { addRecords } from './commands/records-command.ts';
import { addServe } from './commands/serve-command.ts';
import { addSettings } from './commands/settings-command.ts';
import { addSnapshots } from './commands/snapshots-command.ts';
import { addSql } from './commands/sql-command.ts';
import { addSyncs } from './commands/syncs-command.ts';
import { addTest } from './commands/test-command.ts';
import { addTransfer } from './commands/transfer-command.ts';
import { addTypes } from './commands/types-command.ts';
import { addWebhooks } from './commands/webhooks-command.ts';

interface GlobalOptions {
  jq?: string;
  json?: boolean;
  autoConfirm?: boolean;
  interactive?: boolean;
}

type AddCommand = (program: Command, context: CliContext) => void;

/** In the order of the help. */
const COMMANDS: AddCommand[] = [
  addCreate,
  addMigrate,
  addClone,
  addDev,
  addCompile,
  addDryrun,
  addTest,
  addGenerate,
  addTypes,
  addDeploy,
  addPull,
  addFunctions,
  addIntegrations,
  addConnections,
  addConnect,
  addActions,
  addSyncs,
  addRecords,
  addSql,
  addSnapshots,
  addDestinations,
  addApi,
  addRun,
  addLogs,
  addWebhooks,
  addProviders,
  addSettings,
  addAgents,
  addMcp,
  addEnvironments,
  addTransfer,
  addData,
  addKeys,
  addKey,
  addServe,
  addHub,
  addDoctor,
  addCompletion,
];

/** Returns the whole command line: commands, global options, suggestions for misspelt names. */
export function createProgram(context: CliContext): Command {
  const program = new Command('homeport');
  program
    .description('Integrations on your own computer: functions, connections and the hub that runs them.')
    .version(context.resources.version, '-v, --version', 'print the version')
    .helpCommand(false)
    // A command may have options with the same names as global ones: `deploy -v 2`.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => context.terminal.write(context.terminal.wrap(text)),
      writeErr: (text) => context.terminal.note(text.trimEnd()),
      // A usage error is a failure like any other (see `usageFailure`).
      outputError: () => {},
      getOutHasColors: () => context.terminal.colors.isColorSupported,
    });
  for (const add of COMMANDS) add(program, context);
  addHelpCommand(program, context);
  for (const command of withSubcommands(program)) {
    addGlobalOptions(command);
    command.exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageFailure(command, error);
    });
  }
  addEndOfHelp(program);
  program.hook('preAction', (_, command) => applyGlobalOptions(context, command));
  return program;
}

/** Runs a command line and resolves to the exit status. */
export async function runProgram(program: Command, context: CliContext, args: string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return context.outcome.status;
  } catch (error) {
    // Help or the version were printed.
    if (error instanceof CommanderError) return error.exitCode;
    const failure = error instanceof CliFailure ? error : fileFailure(error);
    if (!failure) throw error;
    context.terminal.fail(failure);
    return failure.status;
  }
}

/** `help <command> [<subcommand>]`. The parser's own help command takes only one word. */
function addHelpCommand(program: Command, { terminal }: CliContext): void {
  program
    .command('help')
    .description('explain a command')
    .argument('[command...]', 'such as: connections get')
    .option('--all', 'print a table of every command with its exit statuses and an example')
    .action(async (words: string[], { all }: { all?: boolean }) => {
      const shown = commandOf(program, words);
      if (!all && !terminal.isJson) return shown.outputHelp();
      const { commandPage, describeCommands } = await import('./command-page.ts');
      terminal.printJson(describeCommands(shown));
      if (!terminal.isJson) terminal.write(commandPage(shown));
    });
}

/** The command of these words. What follows a command without subcommands is an argument of it. */
function commandOf(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const [index, word] of words.entries()) {
    const next = found.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next) {
      found = next;
      continue;
    }
    const known = found
      .createHelp()
      .visibleCommands(found)
      .map((one) => one.name());
    if (known.length === 0) break;
    const asked = words.slice(0, index + 1).join(' ');
    throw new CliFailure(`There is no command "${asked}". There are: ${known.join(', ')}.`, EXIT.usage);
  }
  return found;
}

/** A usage error in the words of the other failures, with the way to the help of the command. */
function usageFailure(command: Command, error: CommanderError): CliFailure {
  const path = pathOf(command);
  const where = path === '' ? 'Run "homeport help" for all commands.' : `Run "homeport help ${path}" for its options.`;
  if (error.code === 'commander.help') {
    const known = command
      .createHelp()
      .visibleCommands(command)
      .map((one) => one.name());
    return new CliFailure(`Say what to do: ${known.join(', ')}. ${where}`, EXIT.usage);
  }
  const [said = '', guess] = error.message.replace(/^error: /, '').split('\n');
  const meant = guess?.match(/Did you mean (?:one of )?(.*)\?\)/)?.[1];
  const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return new CliFailure(`${usageSentence(error.code, said)}${advice} ${where}`, EXIT.usage);
}

/** The parser's words as a sentence. */
function usageSentence(code: string, said: string): string {
  const [, named = ''] = said.match(/'(.*?)'/) ?? [];
  switch (code) {
    case 'commander.unknownOption':
      return `There is no option "${named}".`;
    case 'commander.unknownCommand':
      return `There is no command "${named}".`;
    case 'commander.missingArgument':
      return `The argument <${named}> is missing.`;
    case 'commander.optionMissingArgument':
      return `The option "${named}" needs a value.`;
    default:
      return `${said.charAt(0).toUpperCase()}${said.slice(1).replaceAll("'", '"').replace(/\.$/, '')}.`;
  }
}

/** Examples and exit statuses, below the options. The first help has all statuses, another one those of its command. */
function addEndOfHelp(program: Command): void {
  for (const command of withSubcommands(program)) {
    // `generate:tests` is `generate tests`.
    const path = pathOf(command).replace(':', ' ');
    const examples = COMMAND_EXAMPLES[path] ?? [];
    const exits = command === program ? undefined : exitsOf(path);
    const statuses = EXIT_MEANINGS.filter(([status]) => exits?.includes(status) ?? command === program);
    const parts = [
      ...(examples.length === 0 ? [] : ['\nExamples:', ...examples.map((line) => `  homeport ${line}`)]),
      ...(statuses.length === 0
        ? []
        : ['\nExit status:', ...statuses.map(([status, meaning]) => `  ${String(status).padEnd(4)}${meaning}`)]),
    ];
    if (parts.length > 0) command.addHelpText('after', parts.join('\n'));
  }
  program.addHelpText(
    'after',
    [
      '\nIn a checkout the command is "npx homeport", in a project of "homeport init" too; elsewhere npx would fetch the package of another project.',
      '"homeport help <command>" shows examples.',
    ].join('\n'),
  );
}

function addGlobalOptions(command: Command): void {
  command
    .option('--json', 'print results, and failures, as JSON')
    .option('--jq <filter>', 'print what a jq filter selects from the JSON of a result')
    .option('--debug', 'show more details when something fails')
    .option('--no-interactive', 'never ask');
  const hidden = ['--no-dependency-update', '--no-telemetry'];
  if (!command.options.some(({ long }) => long === '--auto-confirm')) hidden.push('--auto-confirm');
  // Accepted for scripts of other command lines: there are no dependencies to update and no usage data is sent.
  for (const flag of hidden) command.addOption(new Option(flag).hideHelp());
}

/** Global options may come before or after the command. */
async function applyGlobalOptions({ terminal, options }: CliContext, command: Command): Promise<void> {
  for (let one: Command | null = command; one; one = one.parent) {
    const { autoConfirm, interactive, jq, json } = one.opts<GlobalOptions>();
    const asJson = json === true || jq !== undefined;
    options.autoConfirm ||= autoConfirm === true;
    terminal.isJson ||= asJson;
    if (interactive === false || asJson) terminal.isInteractive = false;
    if (jq !== undefined) terminal.jsonFilter ??= await loadJsonFilter(jq);
  }
}

/** Exit statuses of jq. */
const NOT_COMPILED = 3;

/**
 * The filter of `--jq`, in the language of jq 1.8 (jq itself, compiled to WebAssembly). Returns what it selects from a
 * document, one text for each result: texts as they are, other values as JSON in one line.
 */
async function loadJsonFilter(query: string): Promise<(json: string) => string[]> {
  // More than a megabyte, which few calls need.
  const { loadJq } = await import('jq-wasm/inline');
  const jq = await loadJq();
  const { exitCode, stderr } = jq.raw(null, query);
  // Only a filter that cannot be read is known to be wrong before it gets a value.
  if (exitCode === NOT_COMPILED) throw new CliFailure(`--jq is not a jq filter: ${reasonOf(stderr)}`, EXIT.usage);
  return (json) => {
    const { stdout, ...result } = jq.raw(json, query, ['-r', '-c']);
    if (result.exitCode !== 0)
      throw new CliFailure(`The --jq filter does not fit the result: ${reasonOf(result.stderr)}`);
    return stdout === '' ? [] : [stdout.replace(/\n$/, '')];
  };
}

/** The first sentence of jq, without its program name and position. */
function reasonOf(stderr: string): string {
  const [line = ''] = stderr.trim().split('\n');
  return line.replace(/^jq: error(?: \(at [^)]*\))?: /, '').replace(/ at <top-level>.*$/, '');
}
