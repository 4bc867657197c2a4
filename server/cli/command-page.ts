import type { Command } from 'commander';
import { EXIT_MEANINGS } from './cli-failure.ts';
import { COMMAND_EXAMPLES } from './command-examples.ts';
import { exitsOf } from './command-exits.ts';
import { pathOf, withSubcommands } from './command-tree.ts';

/** A command as `help --all --json` prints it. */
export interface DescribedCommand {
  command: string;
  arguments: string[];
  description: string;
  options: Array<{ flags: string; description: string }>;
  exit_statuses: number[];
  examples: string[];
}

/** This command and every one below it that can be called, in the order of the help. */
export function describeCommands(from: Command): DescribedCommand[] {
  return withSubcommands(from)
    .filter((command) => command.commands.length === 0 && isShown(command))
    .map((command) => ({
      command: pathOf(command),
      arguments: command.registeredArguments.map(
        (one) => `${one.required ? '<' : '['}${one.name()}${one.variadic ? '...' : ''}${one.required ? '>' : ']'}`,
      ),
      description: command.description(),
      options: command.options
        .filter(({ hidden }) => !hidden)
        .map(({ flags, description }) => ({ flags, description })),
      exit_statuses: exitsOf(pathOf(command)) ?? [],
      examples: (COMMAND_EXAMPLES[pathOf(command)] ?? []).map((line) => `homeport ${line}`),
    }));
}

/** The same as a page: a table with one example for each command. */
export function commandPage(program: Command): string {
  const rows = describeCommands(program).map(({ command, arguments: names, description, exit_statuses, examples }) => [
    code([command, ...names].join(' ')),
    escaped(description),
    exit_statuses.join(' '),
    code(examples[0] ?? ''),
  ]);
  return `${[
    '# Every command',
    '',
    '`npx homeport help --all > server/cli/commands.md` writes this page from the definitions of the commands; with `--json` it prints the options too.',
    '',
    ...tableOf(
      ['Exit status', 'Says'],
      EXIT_MEANINGS.map(([status, meaning]) => [String(status), meaning]),
    ),
    '',
    'A command that fails has written why to stderr, or with `--json` as a document to stdout.',
    '',
    ...tableOf(['Command', 'What it does', 'Exit statuses', 'Example'], rows),
  ].join('\n')}\n`;
}

function isShown(command: Command): boolean {
  return command.parent === null || command.parent.createHelp().visibleCommands(command.parent).includes(command);
}

function tableOf(headings: string[], rows: string[][]): string[] {
  return [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** A bar would end the cell. */
const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}
