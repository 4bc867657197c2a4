import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type { Description } from './read-description.ts';

type JsonObject = Record<string, unknown>;

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'query'] as const;

export interface DescribedParameter {
  name: string;
  /** `path`, `query`, `header` or `cookie`. */
  in: string;
  isRequired: boolean;
  description: string;
  schema: JsonObject;
}

/** One operation of a description, with the members that its path shares. */
export interface DescribedOperation {
  /** In upper case. */
  method: string;
  /** Relative to the address of the server, as written: `/customers/{id}`. */
  path: string;
  id: string;
  summary: string;
  isDeprecated: boolean;
  parameters: DescribedParameter[];
  /** Schemes that are needed together, one object for each way; undefined: those of the whole description. */
  security: JsonObject[] | undefined;
  raw: JsonObject;
}

/** All operations, in the order of the description. */
export function listOperations(description: Description): DescribedOperation[] {
  return Object.entries(objectOf(description.document['paths'])).flatMap(([path, value]) => {
    const item = description.resolve(value);
    if (!item || !path.startsWith('/')) return [];
    const shared = parametersOf(description, item['parameters']);
    return METHODS.flatMap((method) => {
      const raw = Object.hasOwn(item, method) ? description.resolve(item[method]) : undefined;
      if (!raw) return [];
      const own = parametersOf(description, raw['parameters']);
      const inherited = shared.filter((one) => !own.some((other) => other.name === one.name && other.in === one.in));
      return [
        {
          method: method.toUpperCase(),
          path,
          id: textOf(raw['operationId']),
          summary: textOf(raw['summary']) || textOf(raw['description']),
          isDeprecated: raw['deprecated'] === true,
          parameters: [...inherited, ...own],
          security: Array.isArray(raw['security']) ? raw['security'].filter(isJsonObject) : undefined,
          raw,
        },
      ];
    });
  });
}

/** Finds by method and path, path alone or id. The error names what is near. */
export function findOperation(operations: DescribedOperation[], wanted: string): DescribedOperation {
  const [, method = '', path = ''] = /^\s*(?:([A-Za-z]+)\s+)?(\S+)\s*$/.exec(wanted) ?? [];
  const same = operations.filter((one) => one.id === wanted || one.path === path);
  const found = same.find((one) => one.method === method.toUpperCase()) ?? (method === '' ? same[0] : undefined);
  if (found) return found;
  const words = path
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2);
  const near = operations
    .map((one) => ({ one, count: words.filter((word) => `${one.path} ${one.id}`.toLowerCase().includes(word)).length }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, 5)
    .map(({ one }) => `${one.method} ${one.path}`);
  throw new HomeportError(
    'invalid_body',
    `The description has no operation "${wanted}". ${near.length > 0 ? `Near: ${near.join(', ')}.` : `It has ${operations.length}.`}`,
  );
}

/** The schema of the JSON of the first response with success, as written: it may be a reference. */
export function responseSchema(description: Description, { raw }: DescribedOperation): JsonObject | undefined {
  const responses = objectOf(raw['responses']);
  const code = Object.keys(responses)
    .filter((one) => /^2(?:\d\d|xx)$/i.test(one))
    .sort()[0];
  return jsonSchemaOf(description, description.resolve(responses[code ?? 'default']));
}

/** The JSON that a request sends, as written: its schema may be a reference. */
export function requestBody(
  description: Description,
  { raw }: DescribedOperation,
): { schema: JsonObject; isRequired: boolean } | undefined {
  const body = description.resolve(raw['requestBody']);
  const schema = jsonSchemaOf(description, body);
  return schema && { schema, isRequired: body?.['required'] === true };
}

/** The headers of a response, by lower-case names. */
export function responseHeaders(
  description: Description,
  { raw }: DescribedOperation,
  status: RegExp,
): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const [code, value] of Object.entries(objectOf(raw['responses']))) {
    if (!status.test(code)) continue;
    const headers = objectOf(description.resolve(value)?.['headers']);
    for (const [name, header] of Object.entries(headers))
      found.set(name.toLowerCase(), description.resolve(header) ?? {});
  }
  return found;
}

/** The members of an object's schema, with those of `allOf`, by name. */
export function propertiesOf(
  description: Description,
  schema: unknown,
  seen: Set<unknown> = new Set(),
): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const own = description.resolve(schema);
  if (!own || seen.has(own)) return found;
  seen.add(own);
  // A later part of `allOf` refines an earlier one, such as a general collection.
  for (const part of listOf(own['allOf']))
    for (const [name, member] of propertiesOf(description, part, seen)) found.set(name, member);
  for (const part of [...listOf(own['anyOf']), ...listOf(own['oneOf'])])
    for (const [name, member] of propertiesOf(description, part, seen)) if (!found.has(name)) found.set(name, member);
  for (const [name, member] of Object.entries(objectOf(own['properties'])))
    found.set(name, description.resolve(member) ?? {});
  return found;
}

/** Whether values of the schema may be of the type. A schema without a type says nothing. */
export function hasType(schema: JsonObject, type: string): boolean {
  const { type: written } = schema;
  return written === type || (Array.isArray(written) && written.includes(type));
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function parametersOf(description: Description, list: unknown): DescribedParameter[] {
  return listOf(list).flatMap((value) => {
    const raw = description.resolve(value);
    const name = textOf(raw?.['name']);
    if (!raw || name === '') return [];
    return [
      {
        name,
        in: textOf(raw['in']),
        isRequired: raw['required'] === true,
        description: textOf(raw['description']),
        schema: description.resolve(raw['schema']) ?? {},
      },
    ];
  });
}

function jsonSchemaOf(description: Description, holder: JsonObject | undefined): JsonObject | undefined {
  const content = objectOf(holder?.['content']);
  const type = Object.keys(content).find((one) => /\bjson\b/i.test(one));
  const schema = type === undefined ? undefined : description.resolve(content[type])?.['schema'];
  return description.resolve(schema) && objectOf(schema);
}
