/** Characters that change the writing direction, so that a text looks like another one. */
export const TURNS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** "\u202e": how a character is written in JSON and in code. */
export const escapeOf = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

/** A line of printed JSON: its indentation, the name of a member, the value or bracket, and the comma. */
export interface JsonLine {
  indent: string;
  name: string;
  text: string;
  type: 'string' | 'number' | 'null' | 'bracket';
  comma: string;
}

const LINE = /^( *)("(?:[^"\\]|\\.)*": )?(.*?)(,?)$/;

/** The lines of `value`, whole, with the characters escaped that change the writing direction. */
export function jsonLines(value: unknown): JsonLine[] {
  const text = JSON.stringify(value, null, 2).replace(TURNS, (turn) => escapeOf(turn.charCodeAt(0)));
  return text.split('\n').map((line) => {
    const [, indent = '', name = '', part = '', comma = ''] = LINE.exec(line) ?? [];
    return { indent, name, text: part, type: typeOf(part), comma };
  });
}

function typeOf(text: string): JsonLine['type'] {
  if (text.startsWith('"')) return 'string';
  if (text === 'null') return 'null';
  return '{}[]'.includes(text[0] ?? '') ? 'bracket' : 'number';
}
