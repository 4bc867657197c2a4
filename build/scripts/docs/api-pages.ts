import type { OpenApiDocument } from '../../../server/contract/openapi/openapi-document.ts';
import { type DescribedRoute, TAGS } from '../../../server/contract/openapi/route-description.ts';
import { groupsOfCodes } from './errors-page.ts';
import { createAnchors } from './page-tree.ts';
import { REFERENCE, type WrittenPage, writeTable } from './written-page.ts';

/** Errors of every route, which the list of one leaves out. */
const COMMON_CODES = new Set(groupsOfCodes()[0]?.codes as readonly string[]);

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Operation {
  summary: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

const nameOf = (tag: string): string => `api-${tag.toLowerCase().replaceAll(' ', '-')}`;

/** The API: a list of all routes, and a page for each part of it, from the routes and their OpenAPI document. */
export function apiPages(routes: readonly DescribedRoute[], document: OpenApiDocument): WrittenPage[] {
  const tags = TAGS.filter((tag) => routes.some(({ openapi }) => openapi.tag === tag));
  return [listPage(tags, routes), ...tags.map((tag) => tagPage(tag, routes, document))];
}

const pathOf = ({ openapi, path }: DescribedRoute): string =>
  (openapi.path ?? String(path)).replaceAll(/[:*](\w+)/g, '{$1}');
const methodOf = ({ method }: DescribedRoute): string => (method === 'all' ? 'ANY' : method.toUpperCase());
const headingOf = (route: DescribedRoute): string => `${methodOf(route)} ${pathOf(route)}`;

function listPage(tags: readonly string[], routes: readonly DescribedRoute[]): WrittenPage {
  const parts = tags.map((tag) => {
    const anchor = createAnchors();
    const rows = routes
      .filter(({ openapi }) => openapi.tag === tag)
      .map((route) => {
        const heading = headingOf(route);
        return [`[\`${heading}\`](${nameOf(tag)}.md#${anchor(heading)})`, route.openapi.summary];
      });
    return `## ${tag}\n\n${writeTable(['Route', 'Does'], rows)}`;
  });
  return {
    name: 'api',
    title: 'API',
    about: 'every route of the HTTP API, with parameters, answers, errors and an example',
    section: REFERENCE,
    text: `# API

The API is at \`http://127.0.0.1:3003\`, on this computer only. Send the secret key of an environment as \`Authorization: Bearer …\`. Bodies
are JSON. Unknown members of a query or a body are refused. The same as a document for tools: [OpenAPI 3.1](http://127.0.0.1:3003/openapi.json).
A route lists its own errors; those of every route are the [first part](errors.md#every-route) of all errors.

${parts.join('\n\n')}
`,
  };
}

function tagPage(tag: string, routes: readonly DescribedRoute[], document: OpenApiDocument): WrittenPage {
  const own = routes.filter(({ openapi }) => openapi.tag === tag);
  const parts = own.map((route) => {
    const method = route.method === 'all' ? 'get' : route.method;
    const operation = document.paths[pathOf(route)]?.[method] as unknown as Operation;
    return operationPart(route, operation, document.components.schemas as Record<string, Schema>);
  });
  return {
    name: nameOf(tag),
    title: `API: ${tag}`,
    about: own.map(({ openapi }) => openapi.summary.toLowerCase()).join(', '),
    section: null,
    text: `# API: ${tag}\n\n${parts.join('\n\n')}\n`,
  };
}

function operationPart(route: DescribedRoute, operation: Operation, schemas: Record<string, Schema>): string {
  const { description = '', deprecated, parameters = [], requestBody, responses, summary } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const typeOf = (schema: Schema): string => describeType(schema);
  const resolved = (schema: Schema): Schema =>
    schema.$ref ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
  const inputs = [
    ...parameters.map((one) => [
      `\`${one.name}\``,
      one.in,
      typeOf(one.schema),
      one.required ? 'yes' : '',
      one.description ?? '',
    ]),
    ...members(body && resolved(body)).map(([name, schema, isRequired]) => [
      `\`${name}\``,
      'body',
      typeOf(schema),
      isRequired ? 'yes' : '',
      resolved(schema).description ?? '',
    ]),
  ];
  const hasNotes = inputs.some((row) => row[4] !== '');
  const head = ['Name', 'In', 'Type', 'Required', ...(hasNotes ? ['Meaning'] : [])];
  const answers = Object.entries(responses).flatMap(([status, answer]) => answerLine(status, answer, resolved) ?? []);
  return [
    `### ${headingOf(route)}`,
    `${summary}.${deprecated ? ' **Deprecated.**' : ''} ${description}`.trim(),
    ...(inputs.length > 0
      ? [
          writeTable(
            head,
            inputs.map((row) => row.slice(0, head.length)),
          ),
        ]
      : []),
    exampleBlock(route),
    ['Answers:', '', ...answers].join('\n'),
  ].join('\n\n');
}

/** The members of an object; of each of its forms, where it has several. */
function members(schema: Schema | undefined): Array<[name: string, schema: Schema, isRequired: boolean]> {
  if (!schema) return [];
  const { properties, required = [] } = schema;
  return Object.entries(properties ?? {}).map(([name, one]) => [name, one, required.includes(name)]);
}

/** An answer with its members, or with its codes; those of every route are left out. */
function answerLine(
  status: string,
  { content, description }: Operation['responses'][string],
  resolved: (schema: Schema) => Schema,
): string | undefined {
  if (!/^2/.test(status)) {
    const codes = [...description.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);
    if (codes.length === 0) return `- ${status}: ${description}`;
    const own = codes.filter((code) => !COMMON_CODES.has(code)).map((code) => `[${code}](errors.md#${code})`);
    return own.length === 0 ? undefined : `- ${status}: ${own.join(', ')}`;
  }
  const schema = content?.['application/json']?.schema;
  const names = members(schema && resolved(schema)).map(([name, one]) => `\`${name}\` (${describeType(one)})`);
  return `- ${status}${names.length > 0 ? `: ${names.join(', ')}` : ''}`;
}

function describeType(schema: Schema): string {
  const { $ref, anyOf, const: only, enum: values, items, oneOf, type } = schema;
  if ($ref) return $ref.split('/').at(-1) ?? '';
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (values) return values.map((one) => `\`${JSON.stringify(one)}\``).join(', ');
  const forms = oneOf ?? anyOf;
  if (forms) return [...new Set(forms.map(describeType))].join(' or ');
  if (items) return `list of ${describeType(items)}`;
  return [type ?? 'any'].flat().join(' or ');
}

/** The example as a request that a page can send; one that needs the result of an earlier call is only shown. */
function exampleBlock(route: DescribedRoute): string {
  const { access, openapi } = route;
  const { example } = openapi;
  const method = route.method === 'all' ? 'GET' : route.method.toUpperCase();
  const lines = [
    `${method} ${example?.path ?? pathOf(route)}`,
    ...Object.entries(example?.headers ?? {}).map(
      ([name, value]) => `${name.replaceAll(/(^|-)\w/g, (letter) => letter.toUpperCase())}: ${value}`,
    ),
    ...(access === 'session' ? ['Authorization: Bearer $CONNECT_SESSION'] : []),
    ...(example?.body === undefined
      ? []
      : ['', JSON.stringify(example.body, null, 2).replaceAll(/"\$([A-Z_]+) as number"/g, '$$$1')]),
  ];
  const text = lines.join('\n');
  const needsMore = /\$[A-Z_]+|\{\w+\}/.test(text);
  return `${needsMore ? '<!-- skip: needs the result of an earlier call -->\n' : ''}\`\`\`http\n${text}\n\`\`\``;
}
