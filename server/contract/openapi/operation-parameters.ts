import type { z } from 'zod';
import type { RouteDescription } from './route-description.ts';
import type { JsonSchema, SchemaWriter } from './schema-writer.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: JsonSchema;
  style?: 'deepObject' | 'form';
  explode?: boolean;
}

/** The members of the schemas for path, query and headers, one parameter each. */
export function parametersOf(route: RouteDescription, writer: SchemaWriter): Parameter[] {
  return [
    ...members(route.params, writer).map((member) => ({ ...member, in: 'path' as const, required: true })),
    ...members(route.query, writer).map((member) => ({ ...member, in: 'query' as const, ...styleOf(member.schema) })),
    ...members(route.headers, writer).map((member) => ({ ...member, in: 'header' as const })),
  ];
}

function members(schema: z.ZodObject | undefined, writer: SchemaWriter): Array<Omit<Parameter, 'in'>> {
  if (!schema) return [];
  const { properties = {}, required = [] } = writer.writeRequest(schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, member]) => ({
    name,
    required: required.includes(name),
    schema: member,
  }));
}

/** Queries are read in qs syntax: `tags[a]=b` for objects, repeated keys for lists. */
function styleOf(schema: JsonSchema): Pick<Parameter, 'style' | 'explode'> {
  if (schema['type'] === 'object') return { style: 'deepObject', explode: true };
  return 'anyOf' in schema ? { style: 'form', explode: true } : {};
}
