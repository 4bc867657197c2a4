import type { RouteExample } from './route-description.ts';
import type { OpenApiSchema } from './schema-writer.ts';

/** One call of an operation, in the parts by which a document describes it. */
export interface OperationExample {
  /** Undefined without a body. */
  body: unknown;
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | Record<string, string>>>;
  /** By names in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** The example of a route whose path is `path`, as in the row: `/connections/:connectionId`. */
export function operationExample(path: string, example: RouteExample = {}): OperationExample {
  const { body, headers = {}, path: address = path } = filled(example);
  const [given = '', search = ''] = address.split('?');
  return {
    body,
    path: partsOf(path, given),
    query: queryOf(search),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

/** The value of a parameter in the type of its schema; a list has one item. */
export function valueFor(schema: OpenApiSchema, text: string | Record<string, string>): unknown {
  if (typeof text !== 'string') return text;
  if (schema['type'] === 'array') return [text];
  if (schema['type'] === 'boolean') return text === 'true';
  return schema['type'] === 'integer' || schema['type'] === 'number' ? Number(text) : text;
}

const SOME_ID = '0d3c1f5e-8a47-4f0b-9c62-5b7e2a914c3d';

/** With a value in the place of each variable. */
function filled(example: RouteExample): RouteExample {
  const text = JSON.stringify(example)
    .replace(/"\$[A-Z_]+ as number"/g, '1')
    .replace(/\$([A-Z_]+)/g, (_, name: string) => sampleOf(name));
  return JSON.parse(text) as RouteExample;
}

function sampleOf(variable: string): string {
  if (variable === 'AGENT_SESSION' || variable.endsWith('_ID')) return SOME_ID;
  return variable === 'NOW' ? '2026-11-28T12:00:00.000Z' : variable.toLowerCase().replaceAll('_', '-');
}

function partsOf(path: string, given: string): Record<string, string> {
  const names = path.split('/');
  const parts = given.split('/');
  return Object.fromEntries(
    names.flatMap((name, index): Array<[string, string]> => {
      const part = parts[index];
      if (part === undefined) return [];
      // A name with a star stands for the rest of the path.
      if (name.startsWith('*')) return [[name.slice(1), parts.slice(index).join('/')]];
      return name.startsWith(':') ? [[name.slice(1), decodeURIComponent(part)]] : [];
    }),
  );
}

/** `tags[a]=b` is an object. */
function queryOf(search: string): Record<string, string | Record<string, string>> {
  const query: Record<string, string | Record<string, string>> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const [, object, member] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    if (object === undefined || member === undefined) query[name] = value;
    else query[object] = { ...(query[object] as Record<string, string> | undefined), [member]: value };
  }
  return query;
}
