import type { GuestLogEntry } from '../bridge.ts';
import { jsonText } from '../plain-json.ts';

type Level = GuestLogEntry['level'];

const LEVELS: Record<string, Level> = {
  log: 'info',
  info: 'info',
  warn: 'warn',
  error: 'error',
  debug: 'debug',
  trace: 'debug',
  dir: 'info',
  dirxml: 'info',
  table: 'info',
  group: 'info',
  groupCollapsed: 'info',
};
const ALWAYS_SILENT = ['groupEnd', 'time', 'timeEnd', 'timeLog', 'assert', 'count', 'countReset', 'clear'];

/** Functions write to their log, not to the console. `console` exists so that calls of it do not fail. */
export function silentConsole(): Record<string, () => void> {
  return Object.fromEntries([...Object.keys(LEVELS), ...ALWAYS_SILENT].map((name) => [name, () => {}]));
}

/** The console of a dry run, whose output a person reads (functions.md 8.2). */
export function printFromConsole(print: (level: Level, text: string) => void): void {
  const printing = Object.entries(LEVELS).map(([name, level]) => [
    name,
    (...values: unknown[]) => print(level, values.map(textOf).join(' ')),
  ]);
  Object.assign(globalThis.console, Object.fromEntries(printing));
}

function textOf(value: unknown): string {
  const isPlainObject = typeof value === 'object' && value !== null && !(value instanceof Error);
  return isPlainObject ? jsonText(value) : String(value);
}
