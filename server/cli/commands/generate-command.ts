import { join } from 'node:path';
import type { Command } from 'commander';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { Fixture } from '../../../functions/testing/fixture-file.ts';
import {
  type FoundFixture,
  findFixtures,
  generatedTestPath,
  readFixture,
} from '../../functions/dry-run/fixture-files.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { writeProjectFile } from '../../platform/lib/write-new-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { integrationOption } from '../command-options.ts';
import { compileProject, count, requireCompiled } from '../project/compile-project.ts';
import type { Project } from '../project/find-project.ts';
import { writeDocs } from '../project/function-docs.ts';
import { readPackageFile } from '../project/package-file.ts';
import { writeTest } from '../project/test-files.ts';
import { writeTestTools } from '../project/test-tools.ts';

interface Choice {
  integrationId?: string;
  sync?: string;
  action?: string;
}

interface DocsOptions {
  path?: string;
  integrationTemplates?: boolean;
}

/** `generate:tests` and `generate tests` are the same command; the same holds for the docs. */
export function addGenerate(program: Command, context: CliContext): void {
  const parent = program.command('generate').description('write tests or docs (also generate:tests, generate:docs)');
  for (const [command, isHidden] of [
    [parent.command('tests'), false],
    [program.command('generate:tests', { hidden: true }), true],
  ] as const) {
    integrationOption(command, 'only functions of one integration')
      .description(`write a test for every function with a recording${isHidden ? '' : ', and what runs it'}`)
      .option('-s, --sync <name>', 'only this sync')
      .option('-a, --action <name>', 'only this action')
      .action((options: Choice) => generateTests(context, options));
  }
  for (const command of [parent.command('docs'), program.command('generate:docs', { hidden: true })]) {
    command
      .description('write one page of markdown for every function')
      .option('-p, --path <folder>', 'only functions below this folder')
      .option('--integration-templates', 'put the pages beside the functions, as template repositories have them')
      .action((options: DocsOptions) => generateDocs(context, options));
  }
}

/** Reads a recording. A file that is not a recording ends the command with a sentence. */
async function readRecorded(root: string, found: FoundFixture): Promise<Fixture> {
  try {
    return await readFixture(root, found);
  } catch (error) {
    throw error instanceof HomeportError ? new CliFailure(error.message) : error;
  }
}

async function generateTests(context: CliContext, { integrationId, sync, action }: Choice): Promise<void> {
  const { terminal } = context;
  const { project, functions } = await compileAll(context);
  const wanted = functions.filter(
    (one) =>
      (integrationId === undefined || one.integration === integrationId) &&
      (sync === undefined || (one.kind === 'sync' && one.name === sync)) &&
      (action === undefined || (one.kind === 'action' && one.name === action)),
  );
  await readPackageFile(project.root);
  const written: string[] = [];
  for (const found of await findFixtures(project.root, wanted)) {
    const compiled = found.subject;
    const text = writeTest(compiled, await readRecorded(project.root, found));
    if (text === undefined) continue;
    const path = generatedTestPath(compiled);
    await writeProjectFile(project.root, path, text);
    written.push(path);
  }
  if (written.length === 0)
    throw new CliFailure(
      'Nothing is recorded yet. Record a run with "homeport dryrun <name> <connection_id> --save".',
      EXIT.usage,
    );
  const integrations = [...new Set(wanted.map((one) => one.integration))].sort();
  const isNewPackage = await writeTestTools(context.resources, project.root, integrations);
  terminal.printJson({ written });
  for (const path of written) terminal.print(`${terminal.colors.green('✓')} ${path}`);
  terminal.note(isNewPackage ? 'Run "npm install", then "npm test".' : 'Run "npm test".');
}

async function generateDocs(context: CliContext, { path: folder, integrationTemplates }: DocsOptions): Promise<void> {
  const { terminal } = context;
  const { project, functions } = await compileAll(context);
  const below = folder === undefined ? '' : `${folder.replace(/^\.\//, '').replace(/(?<!\/)\/+$/, '')}/`;
  const written: string[] = [];
  for (const compiled of functions.filter((one) => one.path.startsWith(below))) {
    const path = integrationTemplates
      ? compiled.path.replace(/\.ts$/, '.md')
      : `docs/${compiled.integration}/${compiled.name}.md`;
    const previous = await readIfExists(join(project.root, path));
    await writeProjectFile(project.root, path, writeDocs(compiled, previous));
    written.push(path);
  }
  terminal.printJson({ written });
  terminal.print(`${terminal.colors.green('✓')} ${count(written.length, 'page')} written`);
}

async function compileAll(context: CliContext): Promise<{ project: Project; functions: CompiledFunction[] }> {
  const { terminal } = context;
  const project = await context.findProject();
  await using engine = await context.openEngine(project);
  const compiled = await terminal.progress('compiling', () => compileProject(engine.compiler));
  return { project, functions: requireCompiled(terminal, compiled) };
}
