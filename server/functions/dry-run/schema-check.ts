import { z } from 'zod';
import type { JsonSchema, ParsedDefinition } from '../../../functions/compiler/parsed-definition.ts';
import { modelSchema } from '../../platform/lib/model-schema.ts';
import type { CollectedRecords } from './collected-records.ts';

/** A value that does not match a model of the function. */
export interface SchemaProblem {
  model: string;
  path: string;
  message: string;
  keyword: string;
}

/** Checks values against the models that the function declares. */
export class SchemaCheck {
  readonly #definitions: Record<string, JsonSchema>;
  readonly #definition: ParsedDefinition;

  constructor(definition: ParsedDefinition) {
    this.#definition = definition;
    this.#definitions = 'json_schema' in definition ? definition.json_schema.definitions : {};
  }

  /** Accepts the input as passed, or as the function receives it: `{}` for a falsy one (functions.md 6.2). */
  input(value: unknown): SchemaProblem[] {
    if (this.#definition.type !== 'action') return [];
    const problems = this.#check(this.#definition.input, value);
    return problems.length === 0 || value ? problems : this.#check(this.#definition.input, {});
  }

  output(value: unknown): SchemaProblem[] {
    return this.#definition.type === 'action' ? this.#check(this.#definition.output[0], value) : [];
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
    const schema = modelSchema(this.#definitions, model);
    if (schema === undefined) return [];
    const readable = readSchema(schema);
    if (typeof readable === 'string') return [{ model, path: '', message: readable, keyword: 'unreadable_schema' }];
    const parsed = readable.safeParse(value ?? null);
    return (parsed.error?.issues ?? []).map(({ path, message, code }) => ({
      model,
      path: path.join('.'),
      message,
      keyword: code,
    }));
  }
}

/** Returns a sentence for a schema that cannot be read: an author can add any keyword with `.meta()`. */
function readSchema(schema: unknown): z.ZodType | string {
  try {
    return z.fromJSONSchema(schema as z.core.JSONSchema.BaseSchema, { defaultTarget: 'draft-7' });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `The JSON schema of the model cannot be checked: ${error.message}`;
  }
}

/** One line per problem. */
export function describeProblems(problems: readonly SchemaProblem[]): string {
  return problems.map(({ model, path, message }) => `${model}${path ? `.${path}` : ''}: ${message}`).join('\n');
}
