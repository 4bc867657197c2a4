import { isJsonObject } from './json-object.ts';

/**
 * JSON without whitespace, the keys of every object in alphabetical order: one value has one text. Only keys that
 * look like array indexes stand first and by number, as every parser orders them, so that the text survives
 * `JSON.stringify(JSON.parse(text))` unchanged.
 */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}
