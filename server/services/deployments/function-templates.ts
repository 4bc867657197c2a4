import type { CompiledFunction, CompileResult } from '../../../functions/compiler/compiled-function.ts';
import { discoverFunctions } from '../../../functions/compiler/discovery.ts';
import type { ParsedDefinition } from '../../../functions/compiler/parsed-definition.ts';
import { HomeportError } from '../../lib/homeport-error.ts';

export interface FunctionTemplatesOptions {
  /** The shipped examples: one folder per provider, with the layout of a workspace. */
  folder: string;
  /** The folder of a provider below that: providers that are one service with several auth modes share a folder. */
  folderOf(provider: string): string;
  loadCompiler(): Promise<{ compileFile(path: string): Promise<CompileResult> }>;
}

const ORDER: ReadonlyArray<CompiledFunction['kind']> = ['action', 'sync'];

/** The shipped example functions, as their compiler describes them. Compiled when they are needed. */
export class FunctionTemplates {
  readonly #options: FunctionTemplatesOptions;
  /** Kept for ever, because templates change only with the program. */
  readonly #known = new Map<string, CompiledFunction[]>();
  #counts: Promise<ReadonlyMap<string, number>> | undefined;

  constructor(options: FunctionTemplatesOptions) {
    this.#options = options;
  }

  /** The folder of a provider's templates, whether it exists or not. */
  folderOf(provider: string): string {
    return this.#options.folderOf(provider);
  }

  /** Actions, then syncs, by name; empty for a provider without templates. */
  async list(provider: string): Promise<ParsedDefinition[]> {
    return (await this.listCompiled(provider)).map(({ definition }) => definition);
  }

  /** As `list`, with the code and the files from which it was compiled. */
  listCompiled(provider: string): Promise<CompiledFunction[]> {
    return this.#load(provider);
  }

  /** The template with its code; `type` is needed when a sync and an action share the name. */
  async find(provider: string, name: string, type?: 'action' | 'sync'): Promise<CompiledFunction> {
    const named = (await this.#load(provider)).filter((one) => one.name === name && (!type || one.kind === type));
    const [found, other] = named;
    if (!found) throw new HomeportError('template_not_found', `There is no template "${name}" for ${provider}.`);
    if (other)
      throw new HomeportError('ambiguous_function', `A sync and an action are called "${name}". Name the type.`);
    return found;
  }

  /** Counts the actions and syncs of providers without compiling them. */
  async counter(): Promise<(provider: string) => number> {
    const counts = await this.#countFolders();
    return (provider) => counts.get(this.folderOf(provider)) ?? 0;
  }

  #countFolders(): Promise<ReadonlyMap<string, number>> {
    this.#counts ??= discoverFunctions(this.#options.folder).then(({ functions }) => {
      const counts = new Map<string, number>();
      for (const { integration, kind } of functions)
        if (ORDER.includes(kind)) counts.set(integration, (counts.get(integration) ?? 0) + 1);
      return counts;
    });
    return this.#counts;
  }

  async #load(provider: string): Promise<CompiledFunction[]> {
    const known = this.#known.get(provider);
    if (known) return known;
    const compiled = await this.#compile(provider);
    const sorted = ORDER.flatMap((kind) => compiled.filter((one) => one.kind === kind));
    this.#known.set(provider, sorted);
    return sorted;
  }

  async #compile(provider: string): Promise<CompiledFunction[]> {
    const { functions } = await discoverFunctions(this.#options.folder);
    const folder = this.folderOf(provider);
    const paths = functions.filter(({ integration }) => integration === folder).map(({ path }) => path);
    if (paths.length === 0) return [];
    const compiler = await this.#options.loadCompiler();
    const results = await Promise.all(paths.map((path) => compiler.compileFile(path)));
    return results.map((result) => {
      if (!result.ok) throw new Error(`The template ${result.path} does not compile.`);
      return result.compiled;
    });
  }
}
