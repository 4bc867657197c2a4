import pico from 'picocolors';
import { terminalText } from './terminal-text.ts';

/** Members of a log line that the readable text shows in another way. */
const SHOWN_OTHERWISE = new Set(['level', 'time', 'msg', 'err', 'event']);
const ERROR_LEVEL = 50;

/**
 * Makes a line of the program's log readable: the time of day, a mark for its level, the message, and the other members
 * in brackets. Lines with an `event` have everything in their message. An error is shown with its stack when the line
 * reports a fault of the program. Takes and returns lines that end with a newline.
 */
export function logText(json: string, options: { hasColors: boolean }): string {
  const { dim, green, red, yellow } = pico.createColors(options.hasColors);
  const line = JSON.parse(json) as { level: number; time: number; msg?: string; event?: string; err?: LoggedError };
  const [paint, mark] = line.level >= ERROR_LEVEL ? [red, '✗'] : line.level > 30 ? [yellow, '!'] : [green, '·'];
  const time = new Date(line.time).toTimeString().slice(0, 8);
  const members = line.event === undefined ? membersOf(line) : '';
  const { err } = line;
  const cause = err
    ? `: ${terminalText((line.level >= ERROR_LEVEL ? err.stack : undefined) ?? err.message ?? '')}`
    : '';
  // Further lines are indented to the column of the message.
  const text = `${terminalText(line.msg ?? '')}${cause}`.replaceAll('\n', '\n           ');
  return `${dim(time)} ${paint(mark)} ${text}${members && ` ${dim(terminalText(members))}`}\n`;
}

interface LoggedError {
  message?: string;
  stack?: string;
}

function membersOf(line: object): string {
  const shown = Object.entries(line)
    .filter(([name]) => !SHOWN_OTHERWISE.has(name))
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`);
  return shown.length === 0 ? '' : `(${shown.join(', ')})`;
}
