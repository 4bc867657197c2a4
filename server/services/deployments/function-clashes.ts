import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import { checkIntegration } from '../../../functions/compiler/integration-checks.ts';
import type { DeployedFunction } from './deployed-function.ts';

export interface Clash {
  /** File of the function that has the model or endpoint. */
  path: string;
  problems: CompileDiagnostic[];
}

/**
 * Models and endpoints are unique in an integration (functions.md 2.4); what is live stays, the newcomer is refused.
 * Functions whose files are `gone` hold nobody back: a renamed file takes over from itself.
 */
export function findClashes(
  compiled: CompiledFunction,
  live: readonly DeployedFunction[],
  gone: ReadonlySet<string>,
): Clash[] {
  return live.flatMap(({ path, definition }) => {
    if (definition === null || path === compiled.path || gone.has(path)) return [];
    // The check blames whichever path sorts later; here it is the newcomer, so the text has to name the other one.
    const problems = checkIntegration([{ path, definition }, compiled]).map((clash) => ({
      ...clash,
      file: compiled.path,
      message: clash.message.replaceAll(compiled.path, path),
    }));
    return problems.length === 0 ? [] : [{ path, problems }];
  });
}
