import type { CompileResult } from '../../../functions/compiler/compiled-function.ts';
import { discoverFunctions } from '../../../functions/compiler/discovery.ts';
import type { ParsedDefinition } from '../../../functions/compiler/parsed-definition.ts';

export interface FunctionTemplatesOptions {
  /** The shipped examples: one folder per provider, laid out like a workspace. */
  folder: string;
  loadCompiler(): Promise<{ compileFile(path: string): Promise<CompileResult> }>;
}

const ORDER: ReadonlyArray<ParsedDefinition['type']> = ['action', 'sync'];

/** The shipped example functions, described as their compiler sees them. Read when somebody asks. */
export class FunctionTemplates {
  readonly #options: FunctionTemplatesOptions;
  /** They change only with the program. */
  readonly #known = new Map<string, ParsedDefinition[]>();

  constructor(options: FunctionTemplatesOptions) {
    this.#options = options;
  }

  /** Actions, then syncs, by name; empty for a provider without any. */
  async list(provider: string): Promise<ParsedDefinition[]> {
    const known = this.#known.get(provider);
    if (known) return known;
    const definitions = await this.#describe(provider);
    const sorted = ORDER.flatMap((type) => definitions.filter((one) => one.type === type));
    this.#known.set(provider, sorted);
    return sorted;
  }

  async #describe(provider: string): Promise<ParsedDefinition[]> {
    const { functions } = await discoverFunctions(this.#options.folder);
    const paths = functions.filter(({ integration }) => integration === provider).map(({ path }) => path);
    if (paths.length === 0) return [];
    const compiler = await this.#options.loadCompiler();
    const results = await Promise.all(paths.map((path) => compiler.compileFile(path)));
    return results.map((result) => {
      if (!result.ok) throw new Error(`The template ${result.path} does not compile.`);
      return result.compiled.definition;
    });
  }
}
