import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { OLD_CONFIG, OLD_FORMAT } from '../../../functions/compiler/compile-diagnostic.ts';
import { type FunctionKind, functionPath, locateFunction } from '../../../functions/compiler/function-path.ts';
import { newFunction } from '../../../functions/compiler/new-function.ts';
import { namesIn } from '../../platform/lib/read-if-exists.ts';
import { writeNewFile } from '../../platform/lib/write-new-file.ts';
import { noteProgram } from '../../running-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { writeArtefacts } from '../project/artefacts.ts';
import { compileProject, requireCompiled } from '../project/compile-project.ts';
import { writeEditorTypes } from '../project/editor-types.ts';
import { isInFunctionsFolder } from '../project/find-project.ts';
import { addToPackageFile, readPackageFile } from '../project/package-file.ts';
import { PROJECT_PACKAGE, projectFiles } from '../project/scaffold.ts';

interface CreateOptions {
  sync?: boolean;
  action?: boolean;
  onEvent?: boolean;
  from?: string;
  operation?: string;
}

export function addCreate(program: Command, context: CliContext): void {
  program
    .command('init')
    .description('make a new project with an example')
    .argument('[path]', 'folder', '.')
    .option('--copy', 'only the files: install and compile nothing')
    .action((path: string, options: { copy?: boolean }) => init(context, path, options));
  program
    .command('create')
    .description('add a function to the project')
    .argument('[integration]', 'integration it belongs to')
    .argument('[name]', 'name of the function')
    .option('--sync', 'a sync')
    .option('--action', 'an action')
    .option('--on-event', 'a handler of an event of a connection')
    .option('--from <description>', 'write it from an OpenAPI description (file or address)')
    .option('--operation <operation>', 'the operation of the description, such as "GET /v1/issues" or its id')
    .action((integration: string | undefined, name: string | undefined, options: CreateOptions) =>
      create(context, integration, name, options),
    );
}

async function init(context: CliContext, path: string, { copy }: { copy?: boolean }): Promise<void> {
  const { terminal, cwd } = context;
  const root = resolve(cwd, path);
  refuseForeign(context, root);
  const present = await namesIn(root);
  if (present.includes(OLD_CONFIG)) throw new CliFailure(OLD_FORMAT, EXIT.usage);
  if (present.some((name) => ['.nango', 'index.ts'].includes(name)))
    throw new CliFailure(`${root} is a project already. "homeport create" adds functions to it.`, EXIT.usage);
  // Before the first file is written.
  await readPackageFile(root);
  const written: string[] = [];
  for (const [file, text] of Object.entries(projectFiles()))
    if (await writeNewFile(root, file, text)) written.push(file);
  const project = { root, hasMarker: true };
  await addToPackageFile(root, PROJECT_PACKAGE);
  await writeEditorTypes(project, context.resources);
  await noteProgram(context.config.home, context.resources.launcher);
  if (!copy) {
    await install(context, root);
    await using engine = await context.openEngine(project);
    const functions = requireCompiled(terminal, await compileProject(engine.compiler));
    await writeArtefacts(project, functions);
  }
  const command = existsSync(join(root, 'node_modules/.bin/homeport')) ? 'npx homeport' : 'npm run homeport --';
  const next = [
    ...(root === cwd ? [] : [`cd ${quoted(relative(cwd, root))}`]),
    `${command} serve   # in a terminal of its own, unless a hub runs already`,
    `${command} connections add practice try`,
    `${command} dryrun whoami try`,
    `${command} deploy`,
  ];
  terminal.printJson({ root, written: [...written, 'package.json'] });
  terminal.print(
    `${terminal.colors.green('✓')} ${root} is ready. Its example runs on the practice provider, which is built in:`,
  );
  for (const line of next) terminal.printValue(`  ${line}`);
}

/** In these folders a new project would go live at once, or change the program itself. */
function refuseForeign({ config, resources }: CliContext, root: string): void {
  const advice = 'Name a folder of its own: homeport init my-integrations';
  if (isInFunctionsFolder(root, config.functionsFolder))
    throw new CliFailure(
      `${root} is in the functions folder of the hub, which runs what is saved there. ${advice}`,
      EXIT.usage,
    );
  if (existsSync(join(root, 'server/cli')) && resources.launcher.startsWith(root + sep))
    throw new CliFailure(`${root} holds Homeport itself. ${advice}`, EXIT.usage);
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `"${path}"`;
}

/** Installs packages for the editor and for tests. The hub needs none of them. */
async function install({ terminal, signal }: CliContext, root: string): Promise<void> {
  const args = ['install', '--no-audit', '--no-fund'];
  const status = await terminal.progress('installing packages', () => runNpm(args, root, signal));
  if (status !== 0)
    terminal.note(
      'Packages could not be installed; run "npm install" there later. Until then "npx homeport" is not this program: type "npm run homeport --".',
    );
}

function runNpm(args: string[], cwd: string, signal: AbortSignal): Promise<number | null> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  return new Promise((done) => {
    const child = spawn(npm, args, { cwd, signal, stdio: 'ignore', shell: process.platform === 'win32' });
    child.once('error', () => done(null));
    child.once('close', (code) => done(code));
  });
}

async function create(
  context: CliContext,
  givenIntegration: string | undefined,
  givenName: string | undefined,
  options: CreateOptions,
): Promise<void> {
  const { terminal } = context;
  const project = await context.findProject();
  // They load the parser of sources, which no other command may have to wait for.
  const [{ isFunctionFolder }, { addToIndex }] = await Promise.all([
    import('../../../functions/compiler/discovery.ts'),
    import('../../../functions/compiler/index-entries.ts'),
  ]);
  const usage = 'Say what to create: homeport create <integration> <name> --sync | --action | --on-event.';
  if (options.operation !== undefined && options.from === undefined)
    throw new CliFailure('Name the description of the operation with --from.', EXIT.usage);
  const written =
    options.from === undefined
      ? undefined
      : await (await import('./describe-function.ts')).describeFunction(context, options.from, {
          operation: options.operation,
          kind: options.sync ? 'sync' : options.action ? 'action' : undefined,
          name: givenName,
        });
  const kind = written?.kind ?? (await chooseKind(context, options, usage));
  const integration = givenIntegration ?? (await terminal.ask('Of which integration?', usage));
  const name = written?.name ?? givenName ?? (await terminal.ask('What is its name?', usage));
  const path = functionPath(integration, kind, name);
  const located = locateFunction(path);
  if (!located.ok) throw new CliFailure(located.diagnostic.message, EXIT.usage);
  if (!isFunctionFolder(integration))
    throw new CliFailure(
      `"${integration}" cannot be the name of an integration's folder. Name the integration by its key, such as github.`,
      EXIT.usage,
    );
  // A key with a space is possible, but seldom meant.
  if (/\s/.test(integration) && !existsSync(join(project.root, integration)))
    throw new CliFailure(
      `The name of the integration "${integration}" has a space. If an integration really has this key, make the folder "${integration}" first.`,
      EXIT.usage,
    );
  if (!(await writeNewFile(project.root, path, written?.source ?? newFunction(kind, name))))
    throw new CliFailure(`${path} exists already. Choose another name, or edit it.`, EXIT.usage);
  await addToIndex(project.root, path);
  const recording = written?.fixture && `${integration}/tests/${name}.test.json`;
  if (recording) await writeNewFile(project.root, recording, `${JSON.stringify(written.fixture, null, 2)}\n`);
  const notes = written?.notes ?? [];
  terminal.printJson({ path, file: join(project.root, path), ...(written ? { recording, notes } : {}) });
  terminal.print(`${terminal.colors.green('✓')} ${path}`);
  for (const note of notes) terminal.note(`! ${note}`);
  if (!recording) return;
  terminal.print(`${terminal.colors.green('✓')} ${recording}, from the examples of the description`);
  terminal.note(`Next: homeport test ${name}, then homeport dryrun ${name} <connection_id>`);
}

async function chooseKind({ terminal }: CliContext, options: CreateOptions, usage: string): Promise<FunctionKind> {
  const chosen: FunctionKind[] = [
    ...(options.sync ? (['sync'] as const) : []),
    ...(options.action ? (['action'] as const) : []),
    ...(options.onEvent ? (['on-event'] as const) : []),
  ];
  const [only, ...others] = chosen;
  if (others.length > 0) throw new CliFailure('A function is one of sync, action and on-event.', EXIT.usage);
  if (only) return only;
  const kinds: FunctionKind[] = ['sync', 'action', 'on-event'];
  return terminal.choose(
    'Which kind? (number)',
    kinds.map((value) => ({ label: value, value })),
    usage,
  );
}
