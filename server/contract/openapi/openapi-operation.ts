import type { ErrorCode } from '../error-codes.ts';
import { errorsOf } from './common-errors.ts';
import type { CodeSample } from './curl-sample.ts';
import { type Parameter, parametersOf } from './operation-parameters.ts';
import type { RouteDescription } from './route-description.ts';
import type { JsonSchema, SchemaWriter } from './schema-writer.ts';

interface Media {
  schema: JsonSchema;
}

export interface ResponseObject {
  description: string;
  content?: Record<string, Media>;
}

interface RequestBody {
  required: boolean;
  content: Record<string, Media>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: true;
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, ResponseObject>;
  security: Array<Record<string, string[]>>;
  /** A common extension: pages made of the document show them beside the operation. */
  'x-codeSamples'?: CodeSample[];
}

const REASONS: Record<number, string> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No content' };
const SECURITY: Record<RouteDescription['access'], string[]> = {
  public: [],
  key: ['secretKey'],
  session: ['connectSession'],
  'key-or-session': ['secretKey', 'connectSession'],
};

/** One route as an operation; `suffix` tells the methods of one route apart. */
export function writeOperation(route: RouteDescription, suffix: string, writer: SchemaWriter): Operation {
  const parameters = parametersOf(route, writer);
  const description = describe(route);
  return {
    operationId: `${route.id}${suffix}`,
    tags: [route.tag],
    summary: route.summary,
    ...(description === '' ? {} : { description }),
    ...(route.replacedBy === undefined ? {} : { deprecated: true as const }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body ? { requestBody: bodyOf(route.body, writer) } : {}),
    responses: responsesOf(route, writer),
    security: SECURITY[route.access].map((scheme) => ({ [scheme]: [] })),
  };
}

function describe({ details, replacedBy, scopes }: RouteDescription): string {
  const sentences = [
    ...(details === undefined ? [] : [details]),
    ...(scopes ? [`Scope: ${scopes.map((scope) => `\`environment:${scope}\``).join(' or ')}.`] : []),
    ...(replacedBy === undefined ? [] : [`Use \`${replacedBy}\` instead.`]),
  ];
  return sentences.join(' ');
}

function bodyOf(body: NonNullable<RouteDescription['body']>, writer: SchemaWriter): RequestBody {
  const content = { 'application/json': { schema: writer.writeRequest(body) } };
  return { required: !body.safeParse(undefined).success, content };
}

function responsesOf(route: RouteDescription, writer: SchemaWriter): Record<string, ResponseObject> {
  const responses: Record<string, ResponseObject> = {};
  for (const [status, schema] of Object.entries(route.answers)) {
    const description = REASONS[Number(status)] ?? 'Success';
    const content = schema && { 'application/json': { schema: writer.writeAnswer(schema) } };
    responses[status] = { description, ...(content ? { content } : {}) };
  }
  for (const [status, codes] of errorsOf(route)) responses[String(status)] = refusal(codes);
  if (route.passesOn !== undefined)
    responses['default'] = { description: route.passesOn, content: { '*/*': { schema: {} } } };
  return responses;
}

/** The envelope with one of the codes; the component `ErrorCode` says when each appears. */
function refusal(codes: readonly ErrorCode[]): ResponseObject {
  const code = { properties: { error: { properties: { code: { enum: codes } } } } };
  return {
    description: codes.map((name) => `\`${name}\``).join(', '),
    content: { 'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Error' }, code] } } },
  };
}
