import { z } from 'zod';
import type { RawDefinition } from './bridge.ts';
import type { Definition } from './load-definition.ts';
import { JSONParse, JSONStringify, ObjectEntries, ObjectFromEntries } from './primordials.ts';

type JsonSchema = Record<string, unknown>;

/** Members that are schemas or code and therefore not listed as properties. */
const NOT_PROPERTIES = new Set([
  'type',
  'models',
  'metadata',
  'input',
  'output',
  'checkpoint',
  'exec',
  'undo',
  'onWebhook',
]);

/** Describes a definition without running it (functions.md 1.9). */
export function describeDefinition(definition: Definition): RawDefinition {
  const raw: RawDefinition = {
    type: definition.type,
    props: propertiesOf(definition),
    hasOnWebhook: typeof definition['onWebhook'] === 'function',
    metadata: schemaOrNull(definition['metadata'], 'metadata'),
  };
  if (definition.type === 'sync') raw.models = modelsOf(definition['models']);
  if (definition.type === 'action') {
    if (typeof definition['undo'] === 'function') raw.hasUndo = true;
    raw.input = schemaOrNull(definition['input'], 'input');
    raw.output = schemaOrNull(definition['output'], 'output');
  }
  return raw;
}

function propertiesOf(definition: Definition): Record<string, unknown> {
  const entries = ObjectEntries(definition).filter(([name]) => !NOT_PROPERTIES.has(name));
  return JSONParse(JSONStringify(ObjectFromEntries(entries)));
}

function modelsOf(models: unknown): NonNullable<RawDefinition['models']> {
  if (typeof models !== 'object' || models === null) return [];
  return ObjectEntries(models).map(([name, schema]) => ({ name, schema: toJsonSchema(schema, `model '${name}'`) }));
}

function schemaOrNull(schema: unknown, what: string): JsonSchema | null {
  return schema === undefined || schema === null ? null : toJsonSchema(schema, what);
}

function toJsonSchema(schema: unknown, what: string): JsonSchema {
  if (typeof schema !== 'object' || schema === null || !('_zod' in schema)) {
    throw new Error(`The ${what} is not a zod 4 schema`);
  }
  const { $schema: _, ...json } = z.toJSONSchema(schema as z.ZodType, {
    target: 'draft-7',
    unrepresentable: 'any',
    io: 'output',
    override({ zodSchema, jsonSchema }) {
      const { type } = zodSchema._zod.def;
      if (type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
      if (type === 'void') Object.assign(jsonSchema, { type: 'null' });
    },
  });
  return json as JsonSchema;
}
