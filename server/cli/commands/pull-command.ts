import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Command } from 'commander';
import { type FunctionKind, functionPath } from '../../../functions/compiler/function-path.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { writeNewFile, writeProjectFile } from '../../platform/lib/write-new-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { environmentOption } from '../command-options.ts';

interface Options {
  environment: string;
  sync?: boolean;
  action?: boolean;
  onEvent?: boolean;
  force?: boolean;
}

export function addPull(program: Command, context: CliContext): void {
  environmentOption(program.command('pull'), 'environment to fetch from')
    .description('fetch the source of a deployed function into the project')
    .argument('<integration>', 'integration')
    .argument('<name>', 'function')
    .option('-s, --sync', 'the sync of that name')
    .option('-a, --action', 'the action of that name')
    .option('--on-event', 'the event handler of that name')
    .option('-f, --force', 'overwrite an existing file')
    .action((integration: string, name: string, options: Options) => pull(context, integration, name, options));
}

async function pull(context: CliContext, integration: string, name: string, options: Options): Promise<void> {
  const { terminal } = context;
  const { root } = await context.findProject();
  const hub = await context.hubs.open(options.environment);
  const type = options.sync ? 'sync' : options.action ? 'action' : options.onEvent ? 'on-event' : undefined;
  const { code, type: found } = await hub.call<{ code: string; type: FunctionKind }>(
    'GET',
    `/integrations/${encodeURIComponent(integration)}/functions/${encodeURIComponent(name)}/code`,
    { query: { type } },
  );
  const path = functionPath(integration, found, name);
  if (options.force) await writeProjectFile(root, path, code);
  else if (!(await writeNewFile(root, path, code)))
    throw new CliFailure(`${path} already exists. Run the command again with --force to overwrite it.`, EXIT.usage);
  const folder = await context.hubs.functionsFolder();
  const inFolder = folder === undefined || folder === root ? undefined : await readIfExists(join(folder, path));
  const copied = folder !== undefined && inFolder === code ? await copyImports(context, { root, folder, path }) : [];
  if (folder !== undefined && inFolder !== undefined)
    terminal.note(`The hub runs this function from ${join(folder, path)}: edit it there, a deploy of it is refused.`);
  const missing = missingImports(root, path, code);
  if (missing.length > 0)
    terminal.note(
      `It imports ${missing.join(', ')}, which the project does not have and the hub does not keep: add it too.`,
    );
  terminal.printJson({ path, imports: copied, missing });
  for (const file of [path, ...copied]) terminal.print(`${terminal.colors.green('✓')} ${file}`);
}

/** Copies the files that a function of the hub's folder imports. Those that the project has stay as they are. */
async function copyImports(
  context: CliContext,
  { root, folder, path }: { root: string; folder: string; path: string },
): Promise<string[]> {
  await using engine = await context.openEngine({ root: folder, hasMarker: false });
  const result = await engine.compiler.compileFile(path);
  if (!result.ok) return [];
  const copied: string[] = [];
  for (const input of result.compiled.inputs) {
    const text = input === path ? undefined : await readIfExists(join(folder, input));
    if (text === undefined) continue;
    if (await writeNewFile(root, input, text)) copied.push(input);
    else if ((await readIfExists(join(root, input))) !== text)
      context.terminal.note(`${input} differs from the hub's file ${join(folder, input)}; it was left as it is.`);
  }
  return copied;
}

const IMPORT = /\bfrom\s*['"](\.{1,2}\/[^'"\n]{1,500})['"]/g;

/** Files of the project that the source imports by a relative path, and that do not exist. */
function missingImports(root: string, path: string, code: string): string[] {
  const files = [...code.matchAll(IMPORT)].map(([, target = '']) => posix.join(posix.dirname(path), target));
  const sources = files.map((file) => (/\.[cm]?[jt]sx?$/.test(file) ? file.replace(/js(x?)$/, 'ts$1') : `${file}.ts`));
  return [...new Set(sources)].filter(
    (file, index) => !existsSync(join(root, file)) && !existsSync(join(root, files[index] ?? file)),
  );
}
