import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { writeArtefacts } from '../project/artefacts.ts';
import { checkProject } from '../project/check-project.ts';
import { count, requireCompiled } from '../project/compile-project.ts';
import { writeEditorTypes } from '../project/editor-types.ts';

export function addCompile(program: Command, context: CliContext): void {
  program
    .command('compile')
    .description('check, with types, and bundle every function of the project')
    .action(() => compile(context));
}

async function compile(context: CliContext): Promise<void> {
  const { terminal } = context;
  const project = await context.findProject();
  await writeEditorTypes(project, context.resources);
  const checked = await checkProject(context, project);
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
