import type { z } from 'zod';
import { entrySchema } from './entry-schema.ts';

interface Definition {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  innerType?: z.core.$ZodType;
  valueType?: z.core.$ZodType;
  element?: z.core.$ZodType;
  in?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
}

/** The members that the format defines at a path of an entry; empty where any name is allowed, or none. */
export function knownMembers(path: readonly (string | number)[]): string[] {
  let found: z.core.$ZodType[] = objectsOf(entrySchema);
  for (const key of path) found = found.flatMap((schema) => childOf(schema, String(key))).flatMap(objectsOf);
  return found.flatMap((schema) => Object.keys(definitionOf(schema).shape ?? {}));
}

function childOf(schema: z.core.$ZodType, key: string): z.core.$ZodType[] {
  const { shape, valueType, element } = definitionOf(schema);
  const child = shape && Object.hasOwn(shape, key) ? shape[key] : (valueType ?? element);
  return child ? [child] : [];
}

/** The object, map or list schemas that are allowed here, without their optional wrappers. */
function objectsOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { type, innerType, in: input, options } = definitionOf(schema);
  if (type === 'object' || type === 'record' || type === 'array') return [schema];
  const inside = options ?? [innerType ?? input].filter((one) => one !== undefined);
  return inside.flatMap(objectsOf);
}

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def as unknown as Definition;
