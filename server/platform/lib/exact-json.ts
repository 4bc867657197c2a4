import { findJsonExcess } from './json-limits.ts';

/**
 * JSON that keeps what a JavaScript number loses (design.md 7.49): digits beyond 2^53, `1.0`, `1e400`, `-0`. A number
 * that does not survive becomes an object that `JSON.stringify` writes as it came.
 */

declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
  }
}

export interface ExactNumber {
  readonly rawJSON: string;
}

type ExactReviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const keepDigits: ExactReviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value;

/** The value of a JSON text with all digits. Throws a SyntaxError like `JSON.parse`. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]);
}

const asText: ExactReviver = (_key, value, { source }) =>
  typeof value === 'number' ? (source ?? String(value)) : value;

/** The value of a JSON text with every number as its text, for formats that know texts only. */
export function parseJsonTexts(text: string): unknown {
  return JSON.parse(text, asText as Parameters<typeof JSON.parse>[1]);
}

/** As `parseJson`, with all digits. */
export function readExactJson(text: string): unknown {
  if (findJsonExcess(text) === 'levels') return undefined;
  try {
    return parseExactJson(text);
  } catch {
    return undefined; // Not JSON; callers that need JSON check for undefined.
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * A valid JSON text without the spaces between its parts, and with strings as `JSON.stringify` writes them; names,
 * order and digits stay. So receivers that parse the text and write it again get the same text, but for numbers that
 * their language changes and names that occur twice.
 */
export function compactJson(text: string): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) {
      parts.push(text.slice(start, at));
      start = at + 1;
    } else if (code === QUOTE) {
      let end = at + 1;
      let hasEscape = false;
      for (let one = text.charCodeAt(end); one !== QUOTE && end < text.length; one = text.charCodeAt(end)) {
        if (one === BACKSLASH) hasEscape = true;
        end += one === BACKSLASH ? 2 : 1;
      }
      if (hasEscape) {
        parts.push(text.slice(start, at), JSON.stringify(JSON.parse(text.slice(at, end + 1))));
        start = end + 1;
      }
      at = end;
    }
  }
  parts.push(text.slice(start));
  return parts.join('');
}
