import type { ErrorObject } from 'ajv';
import { isJsonObject } from '../platform/lib/json-object.ts';

/** What is wrong with a record; undefined when it fits. */
export type ModelCheck = (record: Record<string, unknown>) => { column: string | null; message: string } | undefined;

/**
 * The check of a model's schema. Formats other than times are remarks, as in JSON Schema itself: a hub takes from a sync
 * what does not fit them. Throws an Error for a schema that cannot be read.
 */
export async function checkOfModel(schema: Record<string, unknown>): Promise<ModelCheck> {
  // Loaded with the first import, and not at the start.
  const { Ajv } = await import('ajv');
  const { default: addFormats } = await import('ajv-formats');
  const ajv = new Ajv({ strict: false, logger: false, verbose: true });
  addFormats.default(ajv, { mode: 'fast', formats: ['date-time', 'date'] });
  const validate = ajv.compile(schema);
  const idType = isJsonObject(schema['properties']) ? idTypeOf(schema['properties']['id']) : undefined;
  return (record) => {
    // Ids are stored as text, also those that the schema has as numbers.
    const { id } = record;
    const asGiven = idType === 'number' && /^\d+$/.test(String(id)) ? { ...record, id: Number(id) } : record;
    if (validate(asGiven)) return undefined;
    const [error] = validate.errors ?? [];
    return error ? problemOf(error) : { column: null, message: 'does not fit the schema' };
  };
}

function idTypeOf(schema: unknown): 'number' | undefined {
  const types = isJsonObject(schema) ? [schema['type']].flat() : [];
  return types.some((type) => type === 'number' || type === 'integer') ? 'number' : undefined;
}

function problemOf({ instancePath, keyword, params, message, parentSchema }: ErrorObject): {
  column: string | null;
  message: string;
} {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required')
    return { column: [...path, String(params['missingProperty'])].join('.'), message: 'is missing' };
  if (keyword === 'additionalProperties')
    return { column: [...path, String(params['additionalProperty'])].join('.'), message: 'is not in the schema' };
  const column = path.length === 0 ? null : path.join('.');
  // A pattern is for programs; schemas from zod have one beside each format.
  const format: unknown = keyword === 'format' ? params['format'] : parentSchema?.['format'];
  if (keyword === 'format' || keyword === 'pattern')
    return { column, message: typeof format === 'string' ? `is not a ${format}` : 'has a form that is not allowed' };
  if (keyword === 'enum') {
    const allowed = (params['allowedValues'] as unknown[]).map((one) => JSON.stringify(one)).join(', ');
    return { column, message: `is none of ${allowed}`.slice(0, 300) };
  }
  return { column, message: message ?? 'does not fit the schema' };
}
