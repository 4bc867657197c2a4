import { findJsonExcess } from './json-limits.ts';

/**
 * The value of a JSON text; undefined when the text is not JSON, such as a page or an empty body, or nests too deep to
 * be stored.
 */
export function parseJson(text: string): unknown {
  if (findJsonExcess(text) === 'levels') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not every response is JSON; callers that need JSON check for undefined.
  }
}

/**
 * The position of a JSON error as ` (line 1 column 2)`, or empty. V8's own message quotes the text around it, which may
 * be secret.
 */
export function jsonErrorPosition({ message }: SyntaxError): string {
  const [position] = /\bline \d+ column \d+/.exec(message) ?? [];
  if (position !== undefined) return ` (${position})`;
  return /^Unexpected end/.test(message) ? ' (it ends too early)' : '';
}
