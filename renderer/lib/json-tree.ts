import { isKeptNumber } from './json-digits.ts';

/** One visible line of a JSON tree. */
export interface JsonLine {
  path: string;
  depth: number;
  /** Member name; undefined for the root and for array items. */
  name: string | undefined;
  kind: 'open' | 'close' | 'value' | 'folded';
  /** The text after the name. */
  text: string;
  type: 'string' | 'number' | 'boolean' | 'null' | 'bracket';
  isLast: boolean;
  value: unknown;
}

/** Longer texts are cut in the tree; copying gives the whole text. */
const TEXT_LIMIT = 200;

/** Characters that change the writing direction, so that a text looks like another one. */
export const TURNS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** "\u202e": how a character is written in JSON and in code. */
export const escapeOf = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

/** As JSON, with such characters escaped. */
export const quote = (text: string): string =>
  JSON.stringify(text).replace(TURNS, (turn) => escapeOf(turn.charCodeAt(0)));

function scalar(value: unknown, limit: number): Pick<JsonLine, 'text' | 'type'> {
  if (typeof value === 'string') {
    const cut = value.length > limit ? `${value.slice(0, limit)}…` : value;
    return { text: quote(cut), type: 'string' };
  }
  if (isKeptNumber(value)) return { text: value.rawJSON, type: 'number' };
  if (typeof value === 'number') return { text: String(value), type: 'number' };
  if (typeof value === 'boolean') return { text: String(value), type: 'boolean' };
  return { text: 'null', type: 'null' };
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null && !isKeptNumber(value);

/** The lines of `value` without the content of folded paths. */
export function jsonLines(value: unknown, folded: ReadonlySet<string>, limit = TEXT_LIMIT): JsonLine[] {
  const lines: JsonLine[] = [];
  const visit = (node: unknown, path: string, name: string | undefined, depth: number, isLast: boolean): void => {
    const base = { path, depth, name, isLast, value: node };
    if (!isTree(node)) {
      lines.push({ ...base, kind: 'value', ...scalar(node, limit) });
      return;
    }
    const isArray = Array.isArray(node);
    const members = Object.entries(node);
    const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
    if (members.length === 0 || folded.has(path)) {
      const kind = members.length === 0 ? 'value' : 'folded';
      const inside = members.length === 0 ? '' : ` ${members.length} `;
      lines.push({ ...base, kind, text: `${open}${inside}${close}`, type: 'bracket' });
      return;
    }
    lines.push({ ...base, kind: 'open', text: open, type: 'bracket' });
    members.forEach(([key, child], index) => {
      visit(child, `${path}/${key}`, isArray ? undefined : key, depth + 1, index === members.length - 1);
    });
    lines.push({ ...base, path: `${path}/`, name: undefined, kind: 'close', text: close, type: 'bracket' });
  };
  visit(value, '', undefined, 0, true);
  return lines;
}
