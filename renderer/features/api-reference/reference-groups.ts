import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from '../../api/contract.ts';

export interface ReferenceEntry {
  method: string;
  path: string;
  operation: OpenApiOperation;
}

export interface ReferenceGroup {
  tag: string;
  entries: ReferenceEntry[];
}

/** The operations whose address, name or summary contains the text, by tag; deprecated ones come last. */
export function groupsOf(document: OpenApiDocument, search: string): ReferenceGroup[] {
  const wanted = search.trim().toLowerCase();
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const found = entries.filter(({ method, path, operation }) =>
    `${method} ${path} ${operation.summary} ${operation.operationId}`.toLowerCase().includes(wanted),
  );
  return document.tags
    .map(({ name }) => ({
      tag: name,
      entries: found
        .filter(({ operation }) => operation.tags.includes(name))
        .sort((a, b) => Number(a.operation.deprecated ?? false) - Number(b.operation.deprecated ?? false)),
    }))
    .filter((group) => group.entries.length > 0);
}

export interface ReferenceResponse {
  status: string;
  /** Error codes of a response with their messages; none for a success. */
  codes: { code: string; when: string }[];
  text: string;
}

/** The responses of an operation; errors with the catalogue's description of their codes. */
export function responsesOf(document: OpenApiDocument, operation: OpenApiOperation): ReferenceResponse[] {
  const catalogue = document.components.schemas['ErrorCode']?.['oneOf'] as { const: string; description: string }[];
  const sentences = new Map(catalogue.map((one) => [one.const, one.description]));
  return Object.entries(operation.responses).map(([status, { description, content }]) => {
    const [, own] = (content?.['application/json']?.schema['allOf'] ?? []) as {
      properties: { error: { properties: { code: { enum: string[] } } } };
    }[];
    const codes = own?.properties.error.properties.code.enum ?? [];
    return { status, text: description, codes: codes.map((code) => ({ code, when: sentences.get(code) ?? '' })) };
  });
}

export interface Member {
  name: string;
  location: string;
  isRequired: boolean;
  type: string;
}

/** Parameters and the members of the body, in one list. */
export function membersOf({ parameters = [], requestBody }: OpenApiOperation): Member[] {
  const body = requestBody?.content['application/json']?.schema ?? {};
  const required = (body['required'] ?? []) as string[];
  const members = Object.entries((body['properties'] ?? {}) as Record<string, OpenApiSchema>);
  return [
    ...parameters.map((one) => ({
      name: one.name,
      location: one.in,
      isRequired: one.required,
      type: typeName(one.schema),
    })),
    ...members.map(([name, schema]) => ({
      name,
      location: 'body',
      isRequired: required.includes(name),
      type: typeName(schema),
    })),
  ];
}

function typeName(schema: OpenApiSchema): string {
  const { type, enum: values, const: constant, format, items } = schema;
  const choices = (schema['anyOf'] ?? schema['oneOf']) as OpenApiSchema[] | undefined;
  if (choices) return [...new Set(choices.map(typeName))].join(' or ');
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(type)) return type.join(' or ');
  if (type === 'array') return `list of ${typeName((items ?? {}) as OpenApiSchema)}`;
  return typeof format === 'string' ? format : String(type ?? 'any JSON');
}
