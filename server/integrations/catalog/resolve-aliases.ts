import { isMap, mergeShallow, type RawEntry } from './merge-entries.ts';

export type AliasOutcome = { entry: RawEntry } | { problem: string };

/**
 * Follows `alias` to the last target, in any order of the file. Throws for a cycle or a missing target, naming both
 * keys.
 */
export function resolveAlias(name: string, entries: ReadonlyMap<string, unknown>, trail: string[] = []): AliasOutcome {
  const own = entries.get(name);
  if (!isMap(own))
    return {
      problem: trail.length > 0 ? `${trail.at(-1)} is an alias of ${name}, which does not exist` : 'is not a map',
    };
  if (typeof own['alias'] !== 'string') return { entry: mergeShallow({}, own) };
  if (trail.includes(own['alias']) || own['alias'] === name)
    return { problem: `${name} and ${own['alias']} are aliases of each other` };
  const target = resolveAlias(own['alias'], entries, [...trail, name]);
  return 'problem' in target ? target : { entry: mergeShallow(target.entry, own) };
}
