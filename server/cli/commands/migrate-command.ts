import { copyFile, mkdtemp, rename, rm, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { makeFolder } from '../../platform/lib/make-folder.ts';
import { namesIn, readIfExists } from '../../platform/lib/read-if-exists.ts';
import { writeNewFile, writeProjectFile } from '../../platform/lib/write-new-file.ts';
import { noteProgram } from '../../running-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import type { MigratedProject } from '../migrate/migrate-project.ts';
import { writeArtefacts } from '../project/artefacts.ts';
import { checkProject } from '../project/check-project.ts';
import { type CompiledProject, count, isFailing, reportDiagnostics } from '../project/compile-project.ts';
import { writeEditorTypes } from '../project/editor-types.ts';
import { isInFunctionsFolder } from '../project/find-project.ts';
import { addToPackageFile } from '../project/package-file.ts';
import { binFiles } from '../project/project-bin.ts';
import { PROJECT_PACKAGE, projectFiles } from '../project/scaffold.ts';
import { writeTestTools } from '../project/test-tools.ts';

interface Options {
  to?: string;
  dryRun?: boolean;
}

/** Files of a new project that a migrated one gets too; its own functions take the place of the example. */
const PROJECT_FILES = ['.nango/.gitignore', '.gitignore', '.env', 'tsconfig.json'];

export function addMigrate(program: Command, context: CliContext): void {
  program
    .command('migrate')
    .description('turn a project of the old format (nango.yaml) into one of the present format, in a new folder')
    .argument('[path]', 'folder with the nango.yaml', '.')
    .option('--to <folder>', 'folder to write to; default: beside the old one, with "-migrated" behind its name')
    .option('--dry-run', 'write nothing: show what would be written and whether it would compile')
    .action((path: string, options: Options) => migrate(context, path, options));
}

async function migrate(context: CliContext, path: string, options: Options): Promise<void> {
  const { terminal, cwd } = context;
  const from = resolve(cwd, path);
  await requireOldProject(from);
  const to = options.to === undefined ? `${from}-migrated` : resolve(cwd, options.to);
  if (isInFunctionsFolder(to, context.config.functionsFolder)) throw new CliFailure(wouldGoLive(to, path), EXIT.usage);
  if (!options.dryRun) await requireFreeFolder(to);
  // The parser takes time to load, and other commands do not need it.
  const { planMigration } = await import('../migrate/migrate-project.ts');
  const migration = await terminal.progress('reading the old project', () => planMigration(from, to));
  const parent = options.dryRun ? tmpdir() : dirname(to);
  await makeFolder(parent);
  // Written under another name first, so that an interrupted command leaves no half project under the final one.
  const draft = await mkdtemp(join(parent, '.homeport-migrate-'));
  try {
    await writeMigration(context, migration, from, draft);
    if (!options.dryRun) await moveTo(draft, to);
    const project = { root: options.dryRun ? draft : to, hasMarker: true };
    const checked = await checkProject(context, project);
    if (!checked.diagnostics.some(isFailing)) await writeArtefacts(project, checked.functions);
    report(context, migration, checked, { from, to, isDry: options.dryRun === true });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function requireOldProject(from: string): Promise<void> {
  const names = await namesIn(from);
  if (names.includes('nango.yaml')) return;
  const inner: string[] = [];
  for (const name of names) if ((await namesIn(join(from, name))).includes('nango.yaml')) inner.push(join(from, name));
  const advice =
    inner.length > 0
      ? `There is one in ${inner.join(' and ')}: homeport migrate ${inner[0]}`
      : 'Say in which folder the old project is: homeport migrate <path>.';
  throw new CliFailure(`There is no nango.yaml in ${from}. ${advice}`, EXIT.usage);
}

function wouldGoLive(to: string, path: string): string {
  return `${to} is in the functions folder of the hub, which runs what is saved there. Name a folder outside of it: homeport migrate ${path} --to ./my-integrations`;
}

async function requireFreeFolder(to: string): Promise<void> {
  const isFolder = await stat(to).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
  if (isFolder === undefined || (isFolder && (await namesIn(to)).length === 0)) return;
  throw new CliFailure(`${to} exists already. Choose another folder with --to, or remove it first.`, EXIT.usage);
}

async function moveTo(draft: string, to: string): Promise<void> {
  if ((await namesIn(dirname(to))).includes(basename(to))) await rmdir(to);
  await rename(draft, to);
}

async function writeMigration(
  context: CliContext,
  migration: MigratedProject,
  from: string,
  root: string,
): Promise<void> {
  for (const path of migration.copied) {
    await makeFolder(dirname(join(root, path)));
    await copyFile(join(from, path), join(root, path));
  }
  for (const [path, text] of migration.texts) await writeProjectFile(root, path, text);
  const standard = projectFiles();
  for (const file of [...PROJECT_FILES, ...Object.keys(binFiles())])
    await writeNewFile(root, file, standard[file] ?? '');
  await noteProgram(context.config.home, context.resources.launcher);
  await ignoreGenerated(root);
  const { resources } = context;
  await addToPackageFile(root, PROJECT_PACKAGE);
  if (migration.hasTests) {
    const integrations = [...new Set(migration.functions.map(({ integration }) => integration))].sort();
    await writeTestTools(resources, root, integrations);
  }
  await writeEditorTypes({ root, hasMarker: true }, resources);
}

/** A `.gitignore` of the old project stays; the secrets and what is built must not be committed. */
async function ignoreGenerated(root: string): Promise<void> {
  const text = (await readIfExists(join(root, '.gitignore'))) ?? '';
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/$/g, ''));
  const missing = ['node_modules', 'build', '.env'].filter((name) => !lines.includes(name));
  if (missing.length === 0) return;
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  await writeProjectFile(root, '.gitignore', `${start}${missing.join('\n')}\n`);
}

/** What was turned, what was not, and what `compile` says about the new project. */
function report(
  { terminal, cwd }: CliContext,
  { functions, models, notes, texts, copied }: MigratedProject,
  { functions: compiled, diagnostics }: CompiledProject,
  { from, to, isDry }: { from: string; to: string; isDry: boolean },
): void {
  const { colors } = terminal;
  const failing = diagnostics.filter(isFailing);
  const unturned = functions.filter(({ state }) => state !== 'turned');
  const turned = functions.length - unturned.length;
  terminal.printJson({
    from,
    to,
    dryRun: isDry,
    functions,
    models,
    written: [...texts.keys(), ...copied].sort(),
    notes,
    compile: { functions: compiled.length, errors: failing.length, diagnostics },
  });
  for (const { type, integration, name, state } of functions) {
    const mark = state === 'turned' ? colors.green('✓') : colors.red('✗');
    terminal.print(`${mark} ${integration}/${name} (${type})${STATES[state]}`);
  }
  if (notes.length > 0) terminal.print('\nTo look at:');
  for (const { file, message, kind } of notes)
    terminal.print(`  ${kind === 'left' ? colors.red('left') : colors.yellow('note')} ${file}: ${message}`);
  terminal.print('');
  reportDiagnostics(terminal, diagnostics);
  const verb = isDry ? 'would be turned' : 'turned';
  terminal.print(`${turned} of ${count(functions.length, 'function')} ${verb}, ${count(models, 'model')}.`);
  terminal.print(
    failing.length === 0
      ? `${colors.green('✓')} compile: ${count(compiled.length, 'function')} compiled`
      : `${colors.red('✗')} compile: ${count(compiled.length, 'function')} compiled, ${count(failing.length, 'error')}`,
  );
  if (isDry) terminal.print(`Nothing was written. Without --dry-run the new project goes to ${to}.`);
  else terminal.print(`The new project is in ${to}. The old one in ${from} is unchanged.`);
  const place = isDry ? 'it' : relative(cwd, to) || to;
  if (unturned.length > 0 || failing.length > 0)
    throw new CliFailure(advice(unturned.length, failing.length, place), EXIT.compile);
}

const STATES = { turned: '', left: ': left as it was', missing: ': there is no file of it' } as const;

function advice(unturned: number, errors: number, place: string): string {
  const parts = [
    ...(unturned > 0 ? [`${count(unturned, 'function')} could not be turned`] : []),
    ...(errors > 0 ? [`${count(errors, 'error')} in the compiled project`] : []),
  ];
  return `${parts.join(' and ')}. Correct what is listed above; comments "TODO (migrate)" in ${place} mark places. Then run "homeport compile" there.`;
}
