import type { OpenApiOperation, OpenApiSchema } from '../../api/contract.ts';
import { shellWord } from '../../lib/shell-word.ts';

/** A call of the operation for a shell; the key is read from the environment, so that it stays out of the shell's history. */
export function curlCommand(address: string, method: string, path: string, operation: OpenApiOperation): string {
  const needed = (operation.parameters ?? []).filter((one) => one.required);
  const query = needed.filter((one) => one.in === 'query').map((one) => `${one.name}=${textOf(one.name)}`);
  const headers = needed.filter((one) => one.in === 'header').map((one) => `${one.name}: ${textOf(one.name)}`);
  const schema = operation.requestBody?.content['application/json']?.schema;
  const body = schema && operation.requestBody?.required ? JSON.stringify(sampleOf(schema, 'value')) : undefined;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${address}${path}${query.length > 0 ? `?${query.join('&')}` : ''}'`,
    ...(operation.security.length > 0 ? [`-H "Authorization: Bearer $${tokenOf(operation)}"`] : []),
    ...headers.map((header) => `-H '${header}'`),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellWord(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

function tokenOf({ security }: OpenApiOperation): string {
  return security.some((scheme) => 'secretKey' in scheme) ? 'HOMEPORT_SECRET_KEY' : 'CONNECT_SESSION_TOKEN';
}

function textOf(name: string): string {
  return `<${name}>`;
}

/** The required members, with their names in place of values. */
function sampleOf(schema: OpenApiSchema, name: string): unknown {
  const {
    anyOf,
    oneOf,
    const: constant,
    enum: values,
    type,
  } = schema as {
    anyOf?: OpenApiSchema[];
    oneOf?: OpenApiSchema[];
    const?: unknown;
    enum?: unknown[];
    type?: string;
  };
  const first = anyOf?.[0] ?? oneOf?.[0];
  if (first) return sampleOf(first, name);
  if (constant !== undefined || values) return constant ?? values?.[0];
  if (type === 'object') return objectOf(schema);
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'integer' || type === 'number' ? 0 : textOf(name);
}

function objectOf({ properties = {}, required = [] }: OpenApiSchema): Record<string, unknown> {
  const members = properties as Record<string, OpenApiSchema>;
  return Object.fromEntries((required as string[]).map((name) => [name, sampleOf(members[name] ?? {}, name)]));
}
