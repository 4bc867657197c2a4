import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { writeArtefacts } from '../project/artefacts.ts';
import { checkTypes } from '../project/check-types.ts';
import { compileProject, count, requireCompiled } from '../project/compile-project.ts';
import { writeEditorTypes } from '../project/editor-types.ts';
import { untilStopped } from '../until-stopped.ts';

/** Each checker takes up to half a gigabyte of memory. */
const MAX_CHECKERS = 4;

export function addCompile(program: Command, context: CliContext): void {
  program
    .command('compile')
    .description('check, with types, and bundle every function of the project')
    .action(() => compile(context));
}

async function compile(context: CliContext): Promise<void> {
  const { signal, terminal } = context;
  const project = await context.findProject();
  await writeEditorTypes(project, context.resources);
  await using engine = await context.openEngine(project, {
    typeCheckers: Math.min(availableParallelism(), MAX_CHECKERS),
  });
  const { functions: compiled, diagnostics } = await terminal.progress('compiling', () =>
    untilStopped(signal, compileProject(engine.compiler)),
  );
  const typeErrors = await terminal.progress('checking types', () =>
    untilStopped(signal, checkTypes(engine, compiled)),
  );
  const checked = { functions: compiled, diagnostics: [...diagnostics, ...typeErrors] };
  const functions = requireCompiled(terminal, checked);
  if (functions.length === 0) throw noFunctions(project.root);
  if (project.hasMarker) await writeArtefacts(project, functions);
  terminal.printJson({
    functions: functions.map(({ integration, kind, name, path }) => ({ integration, type: kind, name, path })),
    diagnostics: checked.diagnostics,
  });
  terminal.print(`${terminal.colors.green('✓')} ${count(functions.length, 'function')} compiled`);
}

function noFunctions(root: string): CliFailure {
  const message = `There are no functions in ${root}. "homeport create" writes one to <integration>/{syncs,actions,on-events}.`;
  return new CliFailure(message, EXIT.compile, { code: 'no_file' });
}
