import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { writeArtefacts } from '../project/artefacts.ts';
import { compileProject, count, requireCompiled } from '../project/compile-project.ts';

export function addCompile(program: Command, context: CliContext): void {
  program
    .command('compile')
    .description('check and bundle every function of the project')
    .action(() => compile(context));
}

async function compile(context: CliContext): Promise<void> {
  const { terminal } = context;
  const project = await context.findProject();
  await using engine = await context.openEngine(project);
  const compiled = await terminal.progress('compiling', () => compileProject(engine.compiler));
  const functions = requireCompiled(terminal, compiled);
  if (project.hasMarker) await writeArtefacts(project, functions);
  terminal.printJson({
    functions: functions.map(({ integration, kind, name, path }) => ({ integration, type: kind, name, path })),
    diagnostics: compiled.diagnostics,
  });
  terminal.print(`${terminal.colors.green('✓')} ${count(functions.length, 'function')} compiled`);
}
