import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { fixtureFileNames } from '../../../functions/testing/fixture-file.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { writeProjectFile } from '../../platform/lib/write-new-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure } from '../cli-failure.ts';
import { confirmOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import { count } from '../project/compile-project.ts';

export function addClone(program: Command, context: CliContext): void {
  confirmOption(program.command('clone'))
    .description('copy templates that ship with Homeport into the project')
    .argument('<template>', 'github, github/actions or github/actions/create-issue')
    .option('-f, --force', 'overwrite existing files')
    .action((template: string, options: { force?: boolean }) => clone(context, template, options));
}

/**
 * Warns about functions of the hub's own folder. A new hub has the practice provider's functions there, and a deploy
 * never replaces them.
 */
async function warnOfOwners({ config, terminal }: CliContext, root: string, functions: string[]): Promise<void> {
  const folder = config.functionsFolder;
  if (resolve(root) === resolve(folder)) return;
  const owned = functions.filter((path) => existsSync(join(folder, path)));
  if (owned.length === 0) return;
  terminal.note(
    `The hub runs ${owned.join(', ')} from its functions folder ${folder} already, so a deploy of ${owned.length === 1 ? 'it' : 'them'} is refused. Change ${owned.length === 1 ? 'it' : 'them'} there, or rename the copy.`,
  );
}

interface TemplateFiles {
  /** Paths of the functions. */
  functions: string[];
  /** Text of every file by its path: the functions, their imports and their recorded runs. */
  texts: Map<string, string>;
}

async function clone(context: CliContext, template: string, { force }: { force?: boolean }): Promise<void> {
  const { terminal } = context;
  const { root } = await context.findProject();
  const { functions, texts } = await findTemplates(context, template);
  const present = await filesThatDiffer(root, texts);
  if (present.length > 0 && !force)
    await confirm(context, `${present.join(', ')} already exists with different content. Overwrite it?`, '--force');
  for (const [path, text] of texts) await writeProjectFile(root, path, text);
  // Loads the parser of sources.
  const { addToIndex } = await import('../../../functions/compiler/index-entries.ts');
  for (const path of functions) await addToIndex(root, path);
  terminal.printJson({ functions, files: [...texts.keys()] });
  for (const path of functions) terminal.print(`${terminal.colors.green('✓')} ${path}`);
  terminal.note(`${count(functions.length, 'function')} in ${count(texts.size, 'file')} copied.`);
  await warnOfOwners(context, root, functions);
}

async function findTemplates(context: CliContext, template: string): Promise<TemplateFiles> {
  const root = context.resources.templates;
  await using engine = await context.openEngine({ root, hasMarker: false });
  const prefix = template.replace(/(?<!\/)\/+$|\.ts$/g, '');
  const all = (await engine.compiler.discover()).functions;
  const chosen = all.filter(({ path }) => path === `${prefix}.ts` || path.startsWith(`${prefix}/`));
  if (chosen.length === 0) {
    const known = [...new Set(all.map(({ integration }) => integration))].sort().join(', ');
    throw new CliFailure(`There is no template "${template}". There are templates for ${known}.`);
  }
  const texts = new Map<string, string>();
  for (const { path, integration, name } of chosen) {
    const result = await engine.compiler.compileFile(path);
    if (!result.ok) throw new Error(`The template ${path} does not compile.`);
    for (const input of result.compiled.inputs) texts.set(input, await readFile(join(root, input), 'utf8'));
    for (const file of fixtureFileNames(integration, name)) {
      const text = await readIfExists(join(root, integration, file));
      if (text !== undefined) texts.set(`${integration}/${file}`, text);
    }
  }
  return { functions: chosen.map(({ path }) => path), texts };
}

/** Existing files of the project with different content. */
async function filesThatDiffer(root: string, texts: ReadonlyMap<string, string>): Promise<string[]> {
  const differing: string[] = [];
  for (const [path, text] of texts) {
    const present = await readIfExists(join(root, path));
    if (present !== undefined && present !== text) differing.push(path);
  }
  return differing;
}
