import { curlSample } from './curl-sample.ts';
import { errorCodeSchema, errorEnvelope } from './error-envelope.ts';
import { type Operation, writeOperation } from './openapi-operation.ts';
import { TAGS } from './route-description.ts';
import { ROUTE_DESCRIPTIONS } from './route-descriptions.ts';
import { ROUTE_EXAMPLES } from './route-examples.ts';
import { type JsonSchema, SchemaWriter } from './schema-writer.ts';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; description: string; version: string; license: { name: string; identifier: string } };
  servers: Array<{ url: string }>;
  tags: Array<{ name: string }>;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, unknown> };
}

/** What `ALL` stands for. */
const ALL_METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const DESCRIPTION =
  'The public HTTP API of this Homeport. It answers on this computer only; every failure has the form of the ' +
  'component `Error`, with a code that stays the same. Unknown members of queries and bodies are refused.';

/** The document of the public API; `serverUrl` is the origin that its readers shall call. */
export function createOpenApiDocument({ serverUrl, version }: { serverUrl: string; version: string }): OpenApiDocument {
  const writer = new SchemaWriter();
  writer.writeAnswer(errorEnvelope.array());
  const paths: OpenApiDocument['paths'] = {};
  for (const [key, route] of Object.entries(ROUTE_DESCRIPTIONS)) {
    const [method = '', path = ''] = key.split(' ');
    const template = toTemplate(path);
    const operations = paths[template] ?? {};
    paths[template] = operations;
    const { access } = route;
    const write = (one: string, suffix: string): Operation => ({
      ...writeOperation(route, suffix, writer),
      'x-codeSamples': [curlSample(one, path, { access, example: ROUTE_EXAMPLES[key] }, serverUrl)],
    });
    if (method === 'ALL') {
      for (const one of ALL_METHODS) operations[one] = write(one.toUpperCase(), capitalised(one));
    } else {
      operations[method.toLowerCase()] = write(method, '');
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
  connectSession: { type: 'http', scheme: 'bearer', description: 'The token of a connect session; lives 30 minutes.' },
};

/** `:name` and `*name` of Express as `{name}`. */
function toTemplate(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
