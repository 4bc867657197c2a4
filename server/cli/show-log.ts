import type { GuestLogEntry } from '../../functions/runtime/bridge.ts';
import type { Terminal } from './terminal.ts';

/** Prints one line of a function's log as soon as it arrives. */
export function showLog(terminal: Terminal, { level, message, meta }: GuestLogEntry): void {
  const { colors } = terminal;
  const paint = { debug: colors.dim, info: colors.cyan, warn: colors.yellow, error: colors.red }[level];
  terminal.note(`${paint(level.padEnd(5))} ${message}${meta === undefined ? '' : ` ${colors.dim(meta)}`}`);
}
