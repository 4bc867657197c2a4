export type RawEntry = Record<string, unknown>;

/** For built-in aliases: own top-level keys replace inherited ones completely, `null` removes one (providers.md 1). */
export function mergeShallow(base: RawEntry, own: RawEntry): RawEntry {
  return Object.fromEntries(Object.entries({ ...base, ...own }).filter(([, value]) => value !== null));
}

/**
 * For workspace overrides: maps are merged deeply, lists and scalars are replaced, `null` removes a key (providers.md
 * 12.3).
 */
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

/** What an entry over another one inherits: the confirmation of that one says nothing about it. */
export function inheritable({ confirmed_on: _day, confirmed_by: _way, ...base }: RawEntry): RawEntry {
  return base;
}

export function isMap(value: unknown): value is RawEntry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
