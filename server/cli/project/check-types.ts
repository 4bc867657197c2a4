import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { TypeChecker } from '../../../functions/compiler/type-check/type-checker.ts';

/** Functions that share one run of TypeScript: most of its work is the same for all of them. */
const CHECKED_TOGETHER = 100;

/** Type errors of functions and of what they import, each once. The checkers share the work. */
export async function checkTypes(
  checkers: ReadonlyArray<Pick<TypeChecker, 'check'>>,
  functions: readonly CompiledFunction[],
): Promise<CompileDiagnostic[]> {
  const paths = functions.map(({ path }) => path);
  const batches = Array.from({ length: Math.ceil(paths.length / CHECKED_TOGETHER) }, (_, index) =>
    paths.slice(index * CHECKED_TOGETHER, (index + 1) * CHECKED_TOGETHER),
  );
  const found: CompileDiagnostic[][] = [];
  const waiting = batches.entries();
  const work = async (checker: Pick<TypeChecker, 'check'>): Promise<void> => {
    for (const [index, batch] of waiting) {
      found[index] = (await checker.check(batch)).flatMap(({ diagnostics }) => diagnostics);
    }
  };
  await Promise.all(checkers.map(work));
  // A file that several functions import is checked with each of them.
  return [...new Map(found.flat().map((one) => [JSON.stringify(one), one])).values()];
}
