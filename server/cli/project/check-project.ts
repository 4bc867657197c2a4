import { availableParallelism } from 'node:os';
import type { CliContext } from '../cli-context.ts';
import { untilStopped } from '../until-stopped.ts';
import { checkTypes } from './check-types.ts';
import { type CompiledProject, compileProject } from './compile-project.ts';
import type { Project } from './find-project.ts';

/** Each checker takes up to half a gigabyte of memory. */
const MAX_CHECKERS = 4;

/** Compiles every function of a project and checks its types. */
export async function checkProject(context: CliContext, project: Project): Promise<CompiledProject> {
  const { signal, terminal } = context;
  await using engine = await context.openEngine(project, {
    typeCheckers: Math.min(availableParallelism(), MAX_CHECKERS),
  });
  const { functions, diagnostics } = await terminal.progress('compiling', () =>
    untilStopped(signal, compileProject(engine.compiler)),
  );
  const typeErrors = await terminal.progress('checking types', () =>
    untilStopped(signal, checkTypes(engine, functions)),
  );
  return { functions, diagnostics: [...diagnostics, ...typeErrors] };
}
