import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CompiledFunction, CompileResult } from '../../../functions/compiler/compiled-function.ts';
import { discoverFunctions, isFunctionFolder } from '../../../functions/compiler/discovery.ts';
import { addToIndex } from '../../../functions/compiler/index-entries.ts';
import type { ParsedDefinition } from '../../../functions/compiler/parsed-definition.ts';
import type { Integration } from '../../integrations/integration.ts';
import { hasErrorCode } from '../../platform/lib/error-code.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { loadOnce } from '../../platform/lib/load-once.ts';

const ORDER: ReadonlyArray<CompiledFunction['kind']> = ['action', 'sync'];

export type FunctionTemplates = ReturnType<typeof createFunctionTemplates>;

/** The shipped example functions, as their compiler describes them. Compiled when they are needed. */
export function createFunctionTemplates({
  folder,
  folderOf,
  loadCompiler,
}: {
  /** The shipped examples: one folder per provider, with the layout of a workspace. */
  folder: string;
  /** The folder of a provider below that: providers that are one service with several auth modes share a folder. */
  folderOf(provider: string): string;
  loadCompiler(): Promise<{ compileFile(path: string): Promise<CompileResult> }>;
}) {
  /** Never dropped, because templates change only with the program. */
  const compiledByProvider = new Map<string, CompiledFunction[]>();
  const readCounts = loadOnce(() => countFolders(folder));

  /** As `list`, with the code and the files from which it was compiled. */
  async function listCompiled(provider: string): Promise<CompiledFunction[]> {
    const known = compiledByProvider.get(provider);
    if (known) return known;
    const compiled = await compile(provider);
    const sorted = ORDER.flatMap((kind) => compiled.filter((one) => one.kind === kind));
    compiledByProvider.set(provider, sorted);
    return sorted;
  }

  async function compile(provider: string): Promise<CompiledFunction[]> {
    const { functions } = await discoverFunctions(folder);
    const providerFolder = folderOf(provider);
    const paths = functions.filter(({ integration }) => integration === providerFolder).map(({ path }) => path);
    if (paths.length === 0) return [];
    const compiler = await loadCompiler();
    const results = await Promise.all(paths.map((path) => compiler.compileFile(path)));
    return results.map((result) => {
      if (!result.ok) throw new Error(`The template ${result.path} does not compile.`);
      return result.compiled;
    });
  }

  return {
    /** The folder of a provider's templates, whether it exists or not. */
    folderOf,
    listCompiled,
    /** Actions, then syncs, by name; empty for a provider without templates. */
    async list(provider: string): Promise<ParsedDefinition[]> {
      return (await listCompiled(provider)).map(({ definition }) => definition);
    },
    /** The template with its code; `type` is needed when a sync and an action share the name. */
    async find(provider: string, name: string, type?: 'action' | 'sync'): Promise<CompiledFunction> {
      const named = (await listCompiled(provider)).filter((one) => one.name === name && (!type || one.kind === type));
      const [found, other] = named;
      if (!found) throw new HomeportError('template_not_found', `There is no template "${name}" for ${provider}.`);
      if (other)
        throw new HomeportError('ambiguous_function', `A sync and an action are called "${name}". Name the type.`);
      return found;
    },
    /** Counts the actions and syncs of providers without compiling them. */
    async counter(): Promise<(provider: string) => number> {
      const counts = await readCounts();
      return (provider) => counts.get(folderOf(provider)) ?? 0;
    },
  };
}

async function countFolders(root: string): Promise<ReadonlyMap<string, number>> {
  const { functions } = await discoverFunctions(root);
  const counts = new Map<string, number>();
  for (const { integration, kind } of functions)
    if (ORDER.includes(kind)) counts.set(integration, (counts.get(integration) ?? 0) + 1);
  return counts;
}

/** A template that an integration can use. */
export interface TemplateOffer {
  template: CompiledFunction;
  /** Path of the copy, below the workspace. */
  file: string;
  /** True when the file exists, changed or not. */
  isThere: boolean;
  /** The text of the file when it was changed. */
  ownCode: string | null;
  /** True when a recorded run ships with it. */
  canBeTried: boolean;
  /** Other files that it needs and that exist with other content. */
  blockedBy: string[];
}

/** A template with the path of its recorded run. */
export interface RecordedTemplate {
  template: CompiledFunction;
  /** The folder of the templates. */
  root: string;
  /** Path of the recording below that folder. */
  recording: string;
}

/** The result for each file, with paths below the workspace. */
export interface TemplateCopy {
  written: string[];
  /** Files that existed with the same content. */
  kept: string[];
}

/** One file to copy from the templates to the workspace. */
interface FileCopy {
  from: string;
  to: string;
  state: 'new' | 'same' | 'other';
}

type TemplateIntegration = Pick<Integration, 'environmentId' | 'uniqueKey' | 'provider'>;

export type TemplateCopies = ReturnType<typeof createTemplateCopies>;

/**
 * Copies shipped functions to the workspace, where they belong to the user: saving deploys them. Existing files are
 * never overwritten.
 */
export function createTemplateCopies({
  templates,
  folder,
  workspace,
  environmentId,
}: {
  templates: FunctionTemplates;
  /** The folder of the templates. */
  folder: string;
  workspace: string;
  /** The environment that the workspace belongs to. */
  environmentId(): number;
}) {
  async function offer(integration: TemplateIntegration, template: CompiledFunction): Promise<TemplateOffer> {
    const copies = await plan(integration, template);
    const own = copies.at(-1);
    if (!own) throw new Error(`The file of the template ${template.name} is missing.`);
    const changed = own.state === 'other' ? await readIfExists(join(workspace, own.to)) : undefined;
    const recording = await readIfExists(join(folder, recordingOf(integration.provider, template)));
    return {
      template,
      file: own.to,
      isThere: own.state !== 'new',
      ownCode: changed?.toString('utf8') ?? null,
      canBeTried: recording !== undefined,
      blockedBy: pathsOf(copies.slice(0, -1), 'other'),
    };
  }

  /** Files that the function needs come first, so that the function compiles as soon as it is seen. */
  async function plan({ provider, uniqueKey }: TemplateIntegration, template: CompiledFunction): Promise<FileCopy[]> {
    const helpers = template.inputs.filter((path) => path !== template.path);
    const folder = templates.folderOf(provider);
    const recorded = recordingOf(provider, template);
    const copies = await Promise.all(
      [...helpers, recorded, template.path].map((from) => compare(from, uniqueKey + from.slice(folder.length))),
    );
    return copies.filter((copy) => copy !== undefined);
  }

  function recordingOf(provider: string, { name }: CompiledFunction): string {
    return `${templates.folderOf(provider)}/tests/${name}.test.json`;
  }

  /** Undefined when the template has no such file. */
  async function compare(from: string, to: string): Promise<FileCopy | undefined> {
    const [shipped, present] = await Promise.all([readIfExists(join(folder, from)), readIfExists(join(workspace, to))]);
    if (!shipped) return undefined;
    if (!present) return { from, to, state: 'new' };
    return { from, to, state: shipped.equals(present) ? 'same' : 'other' };
  }

  return {
    /** The templates for an integration's provider: actions, then syncs. */
    async list(integration: TemplateIntegration): Promise<TemplateOffer[]> {
      const found = await templates.listCompiled(integration.provider);
      return Promise.all(found.map((template) => offer(integration, template)));
    },
    /** Counts the shipped functions of providers. */
    counter(): Promise<(provider: string) => number> {
      return templates.counter();
    },
    /** Throws `template_not_found`. */
    async find(
      integration: Pick<TemplateIntegration, 'provider'>,
      type: 'action' | 'sync',
      name: string,
    ): Promise<RecordedTemplate> {
      const template = await templates.find(integration.provider, name, type);
      return { template, root: folder, recording: recordingOf(integration.provider, template) };
    },
    /** Copies a template with its imports and its recorded run: all files, or none when a conflict is found before. */
    async add(integration: TemplateIntegration, type: 'action' | 'sync', name: string): Promise<TemplateCopy> {
      if (integration.environmentId !== environmentId()) {
        throw new HomeportError(
          'conflict',
          'The functions folder belongs to another environment. Add the template there, then deploy it to this one.',
        );
      }
      requireFunctionFolder(integration);
      const template = await templates.find(integration.provider, name, type);
      const copies = await plan(integration, template);
      requireFree(copies);
      for (const { from, to, state } of copies) {
        if (state !== 'new') continue;
        await mkdir(dirname(join(workspace, to)), { recursive: true });
        await copyNew(join(folder, from), join(workspace, to), to);
      }
      // As `homeport clone` and a new function do.
      const own = copies.at(-1);
      if (own) await addToIndex(workspace, own.to);
      return { written: pathsOf(copies, 'new'), kept: pathsOf(copies, 'same') };
    },
  };
}

/** Throws for a key that looks like a path, or like a folder that is not searched for functions. */
function requireFunctionFolder({ uniqueKey }: TemplateIntegration): void {
  if (isFunctionFolder(uniqueKey)) return;
  throw new HomeportError(
    'conflict',
    `"${uniqueKey}" cannot be the name of a folder with functions. Give the integration another key.`,
  );
}

function requireFree(copies: readonly FileCopy[]): void {
  const own = copies.at(-1);
  if (own && own.state !== 'new') throw new HomeportError('conflict', `${own.to} already exists. Nothing was changed.`);
  const [blocking] = pathsOf(copies, 'other');
  if (blocking === undefined) return;
  throw new HomeportError(
    'conflict',
    `${blocking} already exists with other content than the template's. Rename your file, or copy what you need by hand. Nothing was changed.`,
  );
}

const pathsOf = (copies: readonly FileCopy[], state: FileCopy['state']): string[] =>
  copies.filter((copy) => copy.state === state).map(({ to }) => to);

/** A file that was created since the check is left unchanged. */
async function copyNew(from: string, to: string, name: string): Promise<void> {
  try {
    // Not a file copy, because the shipped file may be read-only.
    await writeFile(to, await readFile(from), { flag: 'wx' });
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
    throw new HomeportError('conflict', `${name} was created meanwhile. Try again.`);
  }
}

async function readIfExists(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
