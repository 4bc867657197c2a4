/** The rules of OpenAPI 3.1 for the parts that our document has; unknown members are refused. */

const text = { type: 'string', minLength: 1 };
const object = (properties: Record<string, unknown>, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const mapOf = (values: unknown, more: Record<string, unknown> = {}) => ({
  type: 'object',
  additionalProperties: values,
  ...more,
});

const implies = (condition: object, consequence: object) => ({ anyOf: [{ not: condition }, consequence] });

const schema = { type: 'object' };
const content = mapOf(object({ schema, example: {} }, ['schema']), {
  minProperties: 1,
  propertyNames: { pattern: '^[*\\w]+/[*\\w.+-]+$' },
});

const parameter = {
  ...object(
    {
      name: text,
      in: { enum: ['path', 'query', 'header'] },
      required: { type: 'boolean' },
      schema,
      style: { enum: ['deepObject', 'form'] },
      explode: { type: 'boolean' },
      example: {},
    },
    ['name', 'in', 'required', 'schema'],
  ),
  allOf: [
    implies({ properties: { in: { const: 'path' } } }, { properties: { required: { const: true } } }),
    implies({ required: ['style'] }, { properties: { in: { const: 'query' } } }),
    // These three are ignored as parameters: the specification has other places for them.
    implies(
      { properties: { in: { const: 'header' } } },
      { properties: { name: { not: { pattern: '^([aA]ccept|[cC]ontent-[tT]ype|[aA]uthorization)$' } } } },
    ),
  ],
};

const operation = object(
  {
    operationId: { type: 'string', pattern: '^[a-zA-Z]+$' },
    tags: { type: 'array', items: text, minItems: 1, maxItems: 1 },
    summary: text,
    description: text,
    deprecated: { const: true },
    parameters: { type: 'array', items: parameter, minItems: 1, uniqueItems: true },
    requestBody: object({ required: { type: 'boolean' }, content }),
    responses: mapOf(object({ description: text, content }, ['description']), {
      minProperties: 1,
      propertyNames: { pattern: '^([1-5]\\d\\d|default)$' },
    }),
    security: { type: 'array', items: mapOf({ type: 'array', maxItems: 0 }, { minProperties: 1 }) },
    'x-codeSamples': { type: 'array', items: object({ lang: text, label: text, source: text }) },
  },
  ['operationId', 'tags', 'summary', 'responses', 'security'],
);

const methods = ['get', 'post', 'put', 'patch', 'delete'];

export const OPENAPI_SHAPE = object({
  openapi: { const: '3.1.0' },
  info: object({ title: text, description: text, version: text, license: object({ name: text, identifier: text }) }),
  servers: { type: 'array', items: object({ url: { type: 'string', pattern: '^http://[^/]+$' } }), minItems: 1 },
  tags: { type: 'array', items: object({ name: text }), uniqueItems: true },
  paths: mapOf(object(Object.fromEntries(methods.map((method) => [method, operation])), []), {
    propertyNames: { pattern: '^/' },
  }),
  components: object({
    schemas: mapOf(schema, { propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' } }),
    securitySchemes: mapOf(object({ type: { const: 'http' }, scheme: { const: 'bearer' }, description: text })),
  }),
});
