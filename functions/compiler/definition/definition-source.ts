import type { EntryDefinition } from '../checks/entry-definition.ts';
import type { CompileDiagnostic, CompileErrorCode } from '../compile-diagnostic.ts';
import type { SourceFile } from '../source-file.ts';
import { asObject, namedProperties } from '../syntax.ts';

/** Finds the position of an option or a model for a diagnostic of a definition. */
export class DefinitionSource {
  readonly #file: SourceFile;
  readonly #fallback: number;
  readonly #offsets = new Map<string, number>();
  readonly #hasSpread: boolean;

  constructor(file: SourceFile, { call, options }: EntryDefinition) {
    this.#file = file;
    this.#fallback = call.start;
    this.#hasSpread = options.properties.some(({ type }) => type === 'SpreadElement');
    for (const [name, property] of namedProperties(options)) {
      this.#offsets.set(name, property.start);
      const inner = name === 'models' ? asObject(property.value) : undefined;
      for (const [model, { start }] of inner ? namedProperties(inner) : []) this.#offsets.set(`models.${model}`, start);
    }
  }

  /** False only when the option is certainly absent. */
  mayHave(option: string): boolean {
    return this.#hasSpread || this.#offsets.has(option);
  }

  error(code: CompileErrorCode, message: string, option: string): CompileDiagnostic {
    return this.#file.diagnostic(code, message, this.#offsetOf(option));
  }

  warning(code: 'track_deletes_deprecated', message: string, option: string): CompileDiagnostic {
    return this.#file.diagnostic(code, message, this.#offsetOf(option), 'warning');
  }

  #offsetOf(option: string): number {
    const [owner = option] = option.split('.');
    return this.#offsets.get(option) ?? this.#offsets.get(owner) ?? this.#fallback;
  }
}
