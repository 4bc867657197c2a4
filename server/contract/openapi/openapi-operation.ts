import type { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../error-codes.ts';
import type { CodeSample } from './openapi-document.ts';
import { type OperationExample, operationExample, valueFor } from './operation-example.ts';
import type { DescribedRoute, ErrorResponse, RouteDescription } from './route-description.ts';
import type { OpenApiSchema, SchemaWriter } from './schema-writer.ts';

interface Media {
  schema: OpenApiSchema;
  example?: unknown;
}

export interface ResponseObject {
  description: string;
  content?: Record<string, Media>;
}

interface RequestBody {
  required: boolean;
  content: Record<string, Media>;
}

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: true;
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, ResponseObject>;
  security: Array<Record<string, string[]>>;
  /** A common extension. Documentation tools show the samples beside the operation. */
  'x-codeSamples'?: CodeSample[];
}

const REASONS: Record<number, string> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No content' };
const SECURITY: Record<DescribedRoute['access'], string[]> = {
  public: [],
  key: ['secretKey'],
  session: ['connectSession'],
  'key-or-session': ['secretKey', 'connectSession'],
};

/** Writes one route as an operation. `suffix` distinguishes the methods of one route. */
export function writeOperation(route: DescribedRoute, suffix: string, writer: SchemaWriter): OpenApiOperation {
  const { body, id, replacedBy, summary, tag } = route.openapi;
  const example = operationExample(route.openapi.path ?? String(route.path), route.openapi.example);
  const parameters = parametersOf(route.openapi, example, writer);
  const description = describe(route);
  return {
    operationId: `${id}${suffix}`,
    tags: [tag],
    summary,
    ...(description === '' ? {} : { description }),
    ...(replacedBy === undefined ? {} : { deprecated: true as const }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body ? { requestBody: bodyOf(body, example, writer) } : {}),
    responses: responsesOf(route, writer),
    security: SECURITY[route.access].map((scheme) => ({ [scheme]: [] })),
  };
}

function describe({ scopes, openapi: { details, replacedBy } }: DescribedRoute): string {
  const sentences = [
    ...(details === undefined ? [] : [details]),
    ...(scopes ? [`Scope: ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`] : []),
    ...(replacedBy === undefined ? [] : [`Use \`${replacedBy}\` instead.`]),
  ];
  return sentences.join(' ');
}

function bodyOf(
  body: NonNullable<RouteDescription['body']>,
  { body: example }: OperationExample,
  writer: SchemaWriter,
): RequestBody {
  const shown = example === undefined ? {} : { example };
  const content = { 'application/json': { schema: writer.writeRequest(body), ...shown } };
  return { required: !body.safeParse(undefined).success, content };
}

function responsesOf(route: DescribedRoute, writer: SchemaWriter): Record<string, ResponseObject> {
  const responses: Record<string, ResponseObject> = {};
  for (const [status, schema] of Object.entries(route.openapi.responses)) {
    const description = REASONS[Number(status)] ?? 'Success';
    const content = schema && { 'application/json': { schema: writer.writeResponse(schema) } };
    responses[status] = { description, ...(content ? { content } : {}) };
  }
  for (const [status, codes] of errorsOf(route))
    responses[String(status)] = eitherOf(responses[String(status)], refusal(codes));
  const { passesOn } = route.openapi;
  if (passesOn !== undefined) responses['default'] = { description: passesOn, content: { '*/*': { schema: {} } } };
  return responses;
}

/** A route whose own refusals have another form, as those of OAuth, answers in both. */
function eitherOf(own: ResponseObject | undefined, refused: ResponseObject): ResponseObject {
  const type = 'application/json';
  const schemas = [own?.content?.[type]?.schema, refused.content?.[type]?.schema].filter((one) => one !== undefined);
  if (own === undefined || schemas.length < 2) return refused;
  return { description: refused.description, content: { [type]: { schema: { anyOf: schemas } } } };
}

/** The error envelope with one of the codes. The component `ErrorCode` says when each occurs. */
function refusal(codes: readonly ErrorCode[]): ResponseObject {
  const code = { properties: { error: { properties: { code: { enum: codes } } } } };
  return {
    description: codes.map((name) => `\`${name}\``).join(', '),
    content: { 'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Error' }, code] } } },
  };
}

/** Error codes by status, both in a stable order. */
type ErrorsByStatus = ReadonlyMap<number, readonly ErrorCode[]>;

/** Codes of the host check, the body parsers and unexpected failures, which every route can answer. */
const EVERYWHERE: readonly ErrorCode[] = [
  'misdirected_request',
  'invalid_json',
  'request_too_large',
  'request_timeout',
  'invalid_headers',
  'invalid_content_type',
  'generic_error_support',
  'data_files_lost',
];
const BEARER: readonly ErrorCode[] = ['missing_auth_header', 'malformed_auth_header', 'too_many_request'];
const KEY: readonly ErrorCode[] = ['invalid_secret_key_format', 'unknown_account'];
const SESSION: readonly ErrorCode[] = ['invalid_connect_session_token_format', 'unknown_connect_session_token'];
/** Almost every route with a key or a session needs the vault: even sessions are sealed. */
const LOCKED: readonly ErrorCode[] = ['vault_locked'];

const BY_ACCESS: Record<DescribedRoute['access'], readonly ErrorCode[]> = {
  public: [],
  key: [...BEARER, ...KEY, ...LOCKED],
  session: [...BEARER, ...SESSION, ...LOCKED],
  'key-or-session': [...BEARER, ...KEY, ...SESSION, ...LOCKED],
};

/** All codes of a route: those of the pipeline, of validation, and its own. */
function errorsOf({ access, openapi, scopes }: DescribedRoute): ErrorsByStatus {
  const { body, errors = [], headers, params, query, unchecked = [] } = openapi;
  const all: ErrorResponse[] = [
    ...EVERYWHERE,
    ...BY_ACCESS[access],
    ...(scopes ? (['forbidden'] as const) : []),
    ...(params ? (['invalid_uri_params'] as const) : []),
    ...(query && !unchecked.includes('query') ? (['invalid_query_params'] as const) : []),
    ...(headers && !unchecked.includes('headers') ? (['invalid_headers'] as const) : []),
    ...(body && !unchecked.includes('body') ? (['invalid_body'] as const) : []),
    ...errors,
  ];
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const response of all) {
    const [status, code] = typeof response === 'string' ? [ERROR_CODES[response].status, response] : response;
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return new Map(sorted.map(([status, codes]) => [status, [...codes].sort()]));
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: OpenApiSchema;
  style?: 'deepObject' | 'form';
  explode?: boolean;
  example?: unknown;
}

/** One parameter for each member of the schemas of path, query and headers. */
function parametersOf(route: RouteDescription, example: OperationExample, writer: SchemaWriter): Parameter[] {
  const { headers, path, query } = example;
  return [
    ...members(route.params, writer).map((one) => ({
      ...one,
      in: 'path' as const,
      required: true,
      ...shown(one, path),
    })),
    ...members(route.query, writer).map((one) => ({
      ...one,
      in: 'query' as const,
      ...styleOf(one.schema),
      ...shown(one, query),
    })),
    ...members(route.headers, writer).map((one) => ({ ...one, in: 'header' as const, ...shown(one, headers) })),
  ];
}

function shown(
  { name, schema }: Pick<Parameter, 'name' | 'schema'>,
  values: OperationExample['query'],
): Pick<Parameter, 'example'> {
  const value = values[name] ?? values[name.toLowerCase()];
  return value === undefined ? {} : { example: valueFor(schema, value) };
}

function members(schema: z.ZodObject | undefined, writer: SchemaWriter): Array<Omit<Parameter, 'in'>> {
  if (!schema) return [];
  const { properties = {}, required = [] } = writer.writeRequest(schema) as {
    properties?: Record<string, OpenApiSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, member]) => ({
    name,
    required: required.includes(name),
    schema: member,
  }));
}

/** Queries use qs syntax: `tags[a]=b` for objects, repeated keys for lists. */
function styleOf(schema: OpenApiSchema): Pick<Parameter, 'style' | 'explode'> {
  if (schema['type'] === 'object') return { style: 'deepObject', explode: true };
  return 'anyOf' in schema ? { style: 'form', explode: true } : {};
}
