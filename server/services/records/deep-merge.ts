import { isJsonObject } from '../../lib/json-object.ts';

type JsonObject = Record<string, unknown>;

/** A new object: objects are merged at every depth, arrays and other values replaced, `null` included. */
export function deepMerge(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const current = merged.get(key);
    merged.set(key, isJsonObject(current) && isJsonObject(value) ? deepMerge(current, value) : value);
  }
  // `fromEntries` defines own properties: a key named __proto__ stays a key.
  return Object.fromEntries(merged);
}
