import { z } from 'zod';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import type { CollectedRecords } from './collected-records.ts';

/** What does not fit a model of the function. */
export interface SchemaProblem {
  model: string;
  path: string;
  message: string;
  keyword: string;
}

/** Checks values against the models that the function declares. */
export class SchemaCheck {
  readonly #definitions: Record<string, unknown>;
  readonly #compiled: CompiledFunction;

  constructor(compiled: CompiledFunction) {
    const { definition } = compiled;
    this.#compiled = compiled;
    this.#definitions = 'json_schema' in definition ? definition.json_schema.definitions : {};
  }

  input(value: unknown): SchemaProblem[] {
    const { definition } = this.#compiled;
    return definition.type === 'action' ? this.#check(definition.input, value) : [];
  }

  output(value: unknown): SchemaProblem[] {
    const { definition } = this.#compiled;
    return definition.type === 'action' ? this.#check(definition.output[0], value) : [];
  }

  records({ saved }: CollectedRecords): SchemaProblem[] {
    return Object.entries(saved).flatMap(([model, records]) =>
      records.flatMap((record, index) =>
        this.#check(model, record).map((problem) => ({
          ...problem,
          path: `${index}${problem.path ? `.${problem.path}` : ''}`,
        })),
      ),
    );
  }

  #check(model: string, value: unknown): SchemaProblem[] {
    const schema = this.#definitions[model];
    if (schema === undefined) return [];
    const parsed = z.fromJSONSchema(schema as z.core.JSONSchema.BaseSchema).safeParse(value ?? null);
    return (parsed.error?.issues ?? []).map(({ path, message, code }) => ({
      model,
      path: path.join('.'),
      message,
      keyword: code,
    }));
  }
}

/** Ends the command when something does not fit. */
export function requireFitting(what: string, problems: SchemaProblem[]): void {
  if (problems.length === 0) return;
  const lines = problems.map(
    ({ model, path, message, keyword }) => `  ${model}${path ? `.${path}` : ''}: ${message} (${keyword})`,
  );
  throw new CliFailure([`The ${what} does not fit its model:`, ...lines].join('\n'), EXIT.run, {
    code: 'validation_error',
    problems,
  });
}
