export type RawEntry = Record<string, unknown>;

/** Built-in aliases: own top-level keys replace inherited ones whole, `null` removes one (providers.md 1). */
export function mergeShallow(base: RawEntry, own: RawEntry): RawEntry {
  return Object.fromEntries(Object.entries({ ...base, ...own }).filter(([, value]) => value !== null));
}

/** Workspace overrides: deep for maps, replace for lists and scalars, `null` removes (providers.md 12.3). */
export function mergeDeep(base: RawEntry, own: RawEntry): RawEntry {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(own)) {
    const inherited = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isMap(value)) merged.set(key, mergeDeep(isMap(inherited) ? inherited : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

export function isMap(value: unknown): value is RawEntry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
