import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogProblem } from './catalog-problem.ts';
import { checkEntry } from './check-entry.ts';
import type { ProviderDefinition } from './entry-schema.ts';
import { inheritable, isMap, mergeShallow, type RawEntry } from './merge-entries.ts';
import { type ReadEntry, readEntries } from './read-entries.ts';

/** Resolved built-in entries by provider key, in catalogue order. */
export type BuiltinCatalog = ReadonlyMap<string, ProviderDefinition>;

/**
 * Loads the built-in entries: from the JSON file that the build wrote (already checked), or from the folder of YAML
 * files in a source tree (checked now). Throws an error that lists every problem. `handlers` are the handler names that
 * an entry may use; without them names are not checked.
 */
export async function loadBuiltinCatalog(path: string, handlers?: ReadonlySet<string>): Promise<BuiltinCatalog> {
  if (!path.endsWith('.json')) return buildCatalogFrom(path, handlers);
  return new Map(Object.entries(JSON.parse(await readFile(path, 'utf8')) as Record<string, ProviderDefinition>));
}

/** Reads and checks every `*.yaml` of a folder, resolving aliases across files. */
export async function buildCatalogFrom(folder: string, handlers?: ReadonlySet<string>): Promise<BuiltinCatalog> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const files = await Promise.all(
    names.map(async (name) => await readEntries({ path: name, text: await readFile(join(folder, name), 'utf8') })),
  );
  const problems = files.flatMap((file) => file.problems);
  const byName = new Map<string, ReadEntry>();
  for (const entry of files.flatMap((file) => file.entries)) {
    if (byName.has(entry.name)) problems.push(locate(entry, [], 'is defined twice'));
    byName.set(entry.name, entry);
  }
  const catalog = new Map<string, ProviderDefinition>();
  const rawEntries = new Map([...byName].map(([name, entry]) => [name, entry.raw]));
  for (const [name, entry] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const outcome = resolveAlias(name, rawEntries);
    const checked =
      'problem' in outcome
        ? { issues: [{ path: ['alias'], reason: outcome.problem }] }
        : checkEntry(outcome.entry, { isBuiltin: true, ...(handlers ? { handlers } : {}) });
    if ('issues' in checked) problems.push(...checked.issues.map((issue) => locate(entry, issue.path, issue.reason)));
    else catalog.set(name, checked.definition);
  }
  if (problems.length > 0)
    throw new Error(`The provider catalogue has errors:\n${problems.map(formatProblem).join('\n')}`);
  return catalog;
}

type AliasOutcome = { entry: RawEntry } | { problem: string };

/**
 * Follows `alias` to the last target, in any order of the file. A cycle or a missing target is a
 * problem that names both keys.
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
  return 'problem' in target ? target : { entry: mergeShallow(inheritable(target.entry), own) };
}

export function locate(entry: ReadEntry, path: (string | number)[], reason: string): CatalogProblem {
  return { file: entry.file, line: entry.lineOf(path), provider: entry.name, keyPath: path.join('.'), reason };
}

export function formatProblem(problem: CatalogProblem): string {
  const where = [problem.provider, problem.keyPath].filter((text) => text !== '').join('.');
  return `${problem.file}:${problem.line} ${where}: ${problem.reason}`;
}
