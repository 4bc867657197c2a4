import { z } from 'zod';

export type OpenApiSchema = { [key: string]: unknown };

/** Writes Zod schemas as JSON Schema 2020-12, the dialect of OpenAPI 3.1. Schemas with an id become components. */
export class SchemaWriter {
  readonly components: Record<string, OpenApiSchema> = {};

  /** The schema of what a caller may send, before coercion, transformation and defaults. */
  writeRequest(schema: z.ZodType): OpenApiSchema {
    return this.#write(schema, 'input');
  }

  /** The schema of what the caller receives. */
  writeResponse(schema: z.ZodType): OpenApiSchema {
    return this.#write(schema, 'output');
  }

  #write(schema: z.ZodType, io: 'input' | 'output'): OpenApiSchema {
    const written = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any', override: tidy });
    const { $schema: _dialect, $defs = {}, id: _id, ...rest } = relocate(written) as OpenApiSchema;
    for (const [name, { id: _name, ...component }] of Object.entries($defs as Record<string, OpenApiSchema>))
      this.components[name] = component;
    return rest;
  }
}

/** Dates are text in JSON. Removes patterns and limits that `date-time` and `integer` already imply. */
function tidy({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: OpenApiSchema }): void {
  if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
}

/** Zod repeats shared schemas in each schema; the document has them in one place. */
function relocate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocate);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : relocate(member),
    ]),
  );
}
