import { isJsonObject } from './json-object.ts';

/**
 * JSON without whitespace and with sorted keys, so that equal values have the same text. Keys that look like array
 * indexes come first, in numeric order, as every parser orders them; so `JSON.stringify(JSON.parse(text))` returns the
 * same text.
 */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}
