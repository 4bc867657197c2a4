import type { Command } from 'commander';

/** A command and everything below it. */
export function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** The names of a command and its parents, without the program's name. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? '' : [pathOf(parent), command.name()].filter((name) => name !== '').join(' ');
}
