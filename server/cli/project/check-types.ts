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
  const found = new Map<string, CompileDiagnostic>();
  let at = 0;
  const work = async (checker: Pick<TypeChecker, 'check'>): Promise<void> => {
    while (at < paths.length) {
      const batch = paths.slice(at, at + CHECKED_TOGETHER);
      at += CHECKED_TOGETHER;
      for (const { diagnostics } of await checker.check(batch)) {
        // A file that several functions import is checked with each of them.
        for (const one of diagnostics) found.set(JSON.stringify(one), one);
      }
    }
  };
  await Promise.all(checkers.map(work));
  return [...found.values()];
}
