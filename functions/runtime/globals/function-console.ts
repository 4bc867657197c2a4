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

/** Output of functions goes to their log; `console` is there so that calling it does no harm. */
export function silentConsole(): Record<string, () => void> {
  return Object.fromEntries([...Object.keys(LEVELS), ...ALWAYS_SILENT].map((name) => [name, () => {}]));
}

/** The console of a dry run, where a person reads what it prints (functions.md 8.2). */
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
