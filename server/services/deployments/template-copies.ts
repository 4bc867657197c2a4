import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import { isFunctionFolder } from '../../../functions/compiler/discovery.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Integration } from '../integrations/integration.ts';
import type { FunctionTemplates } from './function-templates.ts';

export interface TemplateCopiesOptions {
  templates: FunctionTemplates;
  /** The folder of the templates. */
  folder: string;
  workspace: string;
  /** The environment that the workspace belongs to. */
  environmentId(): number;
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
interface Move {
  from: string;
  to: string;
  state: 'new' | 'same' | 'other';
}

type OfIntegration = Pick<Integration, 'environmentId' | 'uniqueKey' | 'provider'>;

/**
 * Copies shipped functions to the workspace, where they belong to the user: saving deploys them. Existing files are
 * never overwritten.
 */
export class TemplateCopies {
  readonly #options: TemplateCopiesOptions;

  constructor(options: TemplateCopiesOptions) {
    this.#options = options;
  }

  /** The templates for an integration's provider: actions, then syncs. */
  async list(integration: OfIntegration): Promise<TemplateOffer[]> {
    const found = await this.#options.templates.listCompiled(integration.provider);
    return Promise.all(found.map((template) => this.#offer(integration, template)));
  }

  /** Counts the shipped functions of providers. */
  counter(): Promise<(provider: string) => number> {
    return this.#options.templates.counter();
  }

  /** Throws `template_not_found`. */
  async find(
    integration: Pick<OfIntegration, 'provider'>,
    type: 'action' | 'sync',
    name: string,
  ): Promise<RecordedTemplate> {
    const template = await this.#options.templates.find(integration.provider, name, type);
    return { template, root: this.#options.folder, recording: this.#recordingOf(integration.provider, template) };
  }

  /** Copies a template with its imports and its recorded run: all files, or none when a conflict is found before. */
  async add(integration: OfIntegration, type: 'action' | 'sync', name: string): Promise<TemplateCopy> {
    const { environmentId, folder, templates, workspace } = this.#options;
    if (integration.environmentId !== environmentId()) {
      throw new HomeportError(
        'conflict',
        'The functions folder belongs to another environment. Add the template there, then deploy it to this one.',
      );
    }
    requireFolder(integration);
    const template = await templates.find(integration.provider, name, type);
    const moves = await this.#plan(integration, template);
    requireFree(moves);
    for (const { from, to, state } of moves) {
      if (state !== 'new') continue;
      await mkdir(dirname(join(workspace, to)), { recursive: true });
      await copyNew(join(folder, from), join(workspace, to), to);
    }
    return { written: pathsOf(moves, 'new'), kept: pathsOf(moves, 'same') };
  }

  async #offer(integration: OfIntegration, template: CompiledFunction): Promise<TemplateOffer> {
    const { folder, workspace } = this.#options;
    const moves = await this.#plan(integration, template);
    const own = moves.at(-1);
    if (!own) throw new Error('A template is at least its own file.');
    const changed = own.state === 'other' ? await readIfThere(join(workspace, own.to)) : undefined;
    const recording = await readIfThere(join(folder, this.#recordingOf(integration.provider, template)));
    return {
      template,
      file: own.to,
      isThere: own.state !== 'new',
      ownCode: changed?.toString('utf8') ?? null,
      canBeTried: recording !== undefined,
      blockedBy: pathsOf(moves.slice(0, -1), 'other'),
    };
  }

  /** Files that the function needs come first, so that the function compiles as soon as it is seen. */
  async #plan({ provider, uniqueKey }: OfIntegration, template: CompiledFunction): Promise<Move[]> {
    const helpers = template.inputs.filter((path) => path !== template.path);
    const folder = this.#options.templates.folderOf(provider);
    const recorded = this.#recordingOf(provider, template);
    const moves = await Promise.all(
      [...helpers, recorded, template.path].map((from) => this.#compare(from, uniqueKey + from.slice(folder.length))),
    );
    return moves.filter((move) => move !== undefined);
  }

  #recordingOf(provider: string, { name }: CompiledFunction): string {
    return `${this.#options.templates.folderOf(provider)}/tests/${name}.test.json`;
  }

  /** Undefined when the template has no such file. */
  async #compare(from: string, to: string): Promise<Move | undefined> {
    const { folder, workspace } = this.#options;
    const [shipped, present] = await Promise.all([readIfThere(join(folder, from)), readIfThere(join(workspace, to))]);
    if (!shipped) return undefined;
    if (!present) return { from, to, state: 'new' };
    return { from, to, state: shipped.equals(present) ? 'same' : 'other' };
  }
}

/** Throws for a key that looks like a path, or like a folder that is not searched for functions. */
function requireFolder({ uniqueKey }: OfIntegration): void {
  if (isFunctionFolder(uniqueKey)) return;
  throw new HomeportError(
    'conflict',
    `"${uniqueKey}" cannot be the name of a folder with functions. Give the integration another key.`,
  );
}

function requireFree(moves: readonly Move[]): void {
  const own = moves.at(-1);
  if (own && own.state !== 'new') throw new HomeportError('conflict', `${own.to} already exists. Nothing was changed.`);
  const [blocking] = pathsOf(moves, 'other');
  if (blocking === undefined) return;
  throw new HomeportError(
    'conflict',
    `${blocking} already exists with other content than the template's. Rename your file, or copy what you need by hand. Nothing was changed.`,
  );
}

const pathsOf = (moves: readonly Move[], state: Move['state']): string[] =>
  moves.filter((move) => move.state === state).map(({ to }) => to);

/** A file that was created since the check is left unchanged. */
async function copyNew(from: string, to: string, name: string): Promise<void> {
  try {
    // Not a file copy, because the shipped file may be read-only.
    await writeFile(to, await readFile(from), { flag: 'wx' });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    throw new HomeportError('conflict', `${name} was created meanwhile. Try again.`);
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
