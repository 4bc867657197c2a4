import { z } from 'zod';
import { ERROR_CODES } from '../error-codes.ts';
import { type OpenApiOperation, writeOperation } from './openapi-operation.ts';
import { type DescribedRoute, type RouteExample, TAGS } from './route-description.ts';
import { type OpenApiSchema, SchemaWriter } from './schema-writer.ts';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; description: string; version: string; license: { name: string; identifier: string } };
  servers: Array<{ url: string }>;
  tags: Array<{ name: string }>;
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, OpenApiSchema>; securitySchemes: Record<string, unknown> };
}

/** Methods that `all` stands for. */
const ALL_METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const DESCRIPTION =
  'The public HTTP API of this Homeport. It is available on this computer only; every failure has the form of the ' +
  'component `Error`, with a stable code. Unknown members of queries and bodies are refused.';

/** Returns the document of the public API in the order of its routes. `serverUrl` is the origin for calls. */
export function createOpenApiDocument(
  routes: readonly DescribedRoute[],
  { serverUrl, version }: { serverUrl: string; version: string },
): OpenApiDocument {
  const writer = new SchemaWriter();
  writer.writeResponse(errorEnvelope.array());
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const { access, method, openapi } = route;
    const path = openapi.path ?? String(route.path);
    const template = toTemplate(path);
    const operations = paths[template] ?? {};
    paths[template] = operations;
    const write = (one: string, suffix: string): OpenApiOperation => ({
      ...writeOperation(route, suffix, writer),
      'x-codeSamples': [curlSample(one.toUpperCase(), path, { access, example: openapi.example }, serverUrl)],
    });
    if (method === 'all') {
      for (const one of ALL_METHODS) operations[one] = write(one, capitalised(one));
    } else {
      operations[method] = write(method, '');
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Homeport',
      description: DESCRIPTION,
      version,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: TAGS.map((name) => ({ name })),
    paths,
    components: { schemas: { ErrorCode: errorCodeSchema(), ...writer.components }, securitySchemes: SECURITY_SCHEMES },
  };
}

const SECURITY_SCHEMES = {
  secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key of an environment, from its settings.' },
  connectSession: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a connect session; valid for 30 minutes.',
  },
};

/** Rewrites `:name` and `*name` of Express as `{name}`. */
function toTemplate(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}');
}

export interface CodeSample {
  lang: 'Shell';
  label: 'curl';
  source: string;
}

/**
 * Writes a call as one shell command. `$HOMEPORT_KEY` is a secret key; other variables are results of an earlier call.
 * Throws when the example does not fill a path parameter.
 */
function curlSample(
  method: string,
  path: string,
  { access, example }: Pick<DescribedRoute, 'access'> & { example: RouteExample | undefined },
  serverUrl: string,
): CodeSample {
  const address = example?.path ?? path;
  if (/\/[:*{]/.test(address)) throw new Error(`The example of ${method} ${path} does not fill its path.`);
  const key = access === 'public' ? {} : { authorization: 'Bearer $HOMEPORT_KEY' };
  const type = example?.body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = Object.entries({ ...key, ...type, ...example?.headers });
  const parts = [
    // Curl must not treat brackets in the query as a pattern.
    `curl${address.includes('[') ? ' --globoff' : ''}${method === 'GET' ? '' : ` -X ${method}`} "${serverUrl}${address}"`,
    ...headers.map(([name, value]) => `-H "${capitalised(name)}: ${value}"`),
    ...(example?.body === undefined ? [] : [`-d ${quoted(JSON.stringify(example.body))}`]),
  ];
  return { lang: 'Shell', label: 'curl', source: parts.join(' \\\n  ') };
}

/** Quotes the text for a POSIX shell. Variables stay outside the quotes, so only they are expanded. */
function quoted(json: string): string {
  const text = json.replaceAll("'", String.raw`'\''`);
  return `'${text.replace(/"\$([A-Z_]+)( as number)?"/g, (_, name, isNumber) => (isNumber ? `'"$${name}"'` : `"'"$${name}"'"`))}'`;
}

function capitalised(name: string): string {
  return name.replace(/(^|-)\w/g, (letter) => letter.toUpperCase());
}

const issue = z
  .object({ code: z.string(), message: z.string(), path: z.array(z.string()) })
  .meta({ id: 'Issue', description: 'One problem of a request; indexes in the path are text too.' });

/** The body of every error (http-api.md 1.4). Some routes add members. */
const errorEnvelope = z
  .looseObject({
    error: z.looseObject({
      code: z.string(),
      message: z.string().optional(),
      errors: z.array(issue).optional(),
      payload: z.unknown().optional(),
      docs: z.string().optional().meta({ description: 'The page of this hub that explains the code.' }),
    }),
  })
  .meta({ id: 'Error' });

/** Every code of the catalogue with its meaning. */
function errorCodeSchema(): OpenApiSchema {
  return { oneOf: Object.entries(ERROR_CODES).map(([code, { when }]) => ({ const: code, description: when })) };
}
