import { rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Command } from 'commander';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { CliContext } from '../cli-context.ts';
import { bundlePath, writeArtefacts } from '../project/artefacts.ts';
import { checkTypes } from '../project/check-types.ts';
import { compileProject, count, isFailing, reportDiagnostics } from '../project/compile-project.ts';
import { writeEditorTypes } from '../project/editor-types.ts';
import type { Project } from '../project/find-project.ts';
import type { LocalEngine } from '../project/local-engine.ts';
import { TSCONFIG } from '../project/scaffold.ts';

/** Editors save in several steps. Events within this time count as one change. */
const SETTLE_MS = 50;
const IGNORED = /(^|\/)(node_modules|dist|build|\.[^/]+)(\/|$)/;

export function addDev(program: Command, context: CliContext): void {
  program
    .command('dev')
    .description('compile changed files until Ctrl-C')
    .action(() => dev(context));
}

async function dev(context: CliContext): Promise<void> {
  const { terminal, signal, clock } = context;
  const project = await context.findProject();
  await writeEditorTypes(project, context.resources);
  if (project.hasMarker) await writeFile(join(project.root, 'tsconfig.json'), TSCONFIG);
  await using engine = await context.openEngine(project);
  await compileAll(context, project, engine);
  const changed = new Set<string>();
  let work = Promise.resolve();
  const { watch } = await import('chokidar');
  const watcher = watch(project.root, {
    ignoreInitial: true,
    ignored: (path) => IGNORED.test(pathIn(project, path)),
  });
  let timer = clock.after(0, () => {});
  watcher.on('all', (_event, path) => {
    if (!path.endsWith('.ts')) return;
    changed.add(pathIn(project, path));
    timer.cancel();
    timer = clock.after(SETTLE_MS, () => {
      const paths = [...changed];
      changed.clear();
      // Compiles run one after the other, so that a slow one cannot report after a newer one.
      work = work.then(() => compileChanged(context, project, engine, paths));
    });
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  terminal.note(`Watching ${project.root}. Ctrl-C ends.`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    // Timers here do not keep the process alive. The watcher does, until it is closed.
  });
  await watcher.close();
  await Promise.all(engine.types.map((one) => one.stop()));
  await work;
}

async function compileAll(context: CliContext, project: Project, engine: LocalEngine): Promise<void> {
  const { terminal } = context;
  const { functions, diagnostics } = await terminal.progress('compiling', () => compileProject(engine.compiler));
  reportDiagnostics(terminal, diagnostics);
  if (project.hasMarker) await writeArtefacts(project, functions);
  terminal.print(`${terminal.colors.green('✓')} ${count(functions.length, 'function')} compiled`);
  await reportTypes(context, engine, functions);
}

async function compileChanged(
  context: CliContext,
  project: Project,
  engine: LocalEngine,
  paths: string[],
): Promise<void> {
  const { terminal } = context;
  const { compiler } = engine;
  const affected = compiler.affectedBy(paths);
  const { functions: present } = await compiler.discover();
  const known = new Set(present.map(({ path }) => path));
  for (const path of affected.filter((one) => !known.has(one))) {
    compiler.forget(path);
    await rm(bundlePath(project.root, path), { force: true });
    terminal.print(`- ${path}`);
  }
  const { functions, diagnostics } = await compileProject(compiler, ({ path }) => affected.includes(path));
  const shown = diagnostics.filter(({ file }) => affected.includes(file) || paths.includes(file));
  reportDiagnostics(terminal, shown);
  const broken = new Set(shown.filter(isFailing).map(({ file }) => file));
  for (const one of functions) {
    if (project.hasMarker) await writeFile(bundlePath(project.root, one.path), one.bundle);
    if (!broken.has(one.path)) terminal.print(`${terminal.colors.green('✓')} ${one.path}`);
  }
  await reportTypes(context, engine, functions);
}

/** Runs after the bundles are written, because type errors do not block them (functions.md 8.1). */
async function reportTypes(
  { terminal, signal }: CliContext,
  engine: LocalEngine,
  functions: CompiledFunction[],
): Promise<void> {
  try {
    reportDiagnostics(terminal, await checkTypes(engine, functions));
  } catch (error) {
    if (!signal.aborted) terminal.note(`The types could not be checked: ${String(error)}`);
  }
}

function pathIn({ root }: Project, path: string): string {
  return relative(root, path).split(sep).join('/');
}
