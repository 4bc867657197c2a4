import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { LocalEngine } from './local-engine.ts';

/** Functions per run of TypeScript. Most of its work is the same for all functions. */
const CHECKED_TOGETHER = 100;

/**
 * Resolves to the type errors of functions and of their imports, each once. The checkers share the work. Results of
 * earlier commands are reused.
 */
export async function checkTypes(
  { types: checkers, cache, clock }: Pick<LocalEngine, 'types' | 'cache' | 'clock'>,
  functions: readonly CompiledFunction[],
): Promise<CompileDiagnostic[]> {
  const known = await Promise.all(functions.map(({ path, source }) => cache?.findTypes(path, source)));
  const unknown = functions.filter((_, index) => known[index] === undefined);
  const found: CompileDiagnostic[][] = known.flatMap((diagnostics) => (diagnostics ? [diagnostics] : []));
  const batches = Array.from({ length: Math.ceil(unknown.length / CHECKED_TOGETHER) }, (_, index) =>
    unknown.slice(index * CHECKED_TOGETHER, (index + 1) * CHECKED_TOGETHER),
  );
  const sources = new Map(functions.map(({ path, source }) => [path, source]));
  const waiting = batches.values();
  const work = async (checker: LocalEngine['types'][number]): Promise<void> => {
    for (const batch of waiting) {
      const askedAt = clock.now();
      for (const result of await checker.check(batch.map(({ path }) => path))) {
        found.push(result.diagnostics);
        const source = sources.get(result.path);
        if (source !== undefined) cache?.storeTypes(source, result, askedAt);
      }
    }
  };
  await Promise.all(checkers.map(work));
  // A file that several functions import is checked with each of them, so its errors come several times.
  const each = [...new Map(found.flat().map((one) => [JSON.stringify(one), one])).values()];
  return each.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column);
}
