const json = (schema: unknown, example?: unknown) => ({
  description: 'ok',
  content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
});
const list = (reference: string, further: object = {}) => ({
  type: 'object',
  properties: { data: { type: 'array', items: { $ref: `#/components/schemas/${reference}` } }, ...further },
});
const query = (name: string, schema: object, required = false) => ({ in: 'query', name, required, schema });
const inPath = (name: string) => ({ in: 'path', name, required: true, schema: { type: 'integer' } });

/** Lists with a cursor, with pages and without, required parameters, odd names and a schema in a circle. */
export const ACME_DESCRIPTION = {
  openapi: '3.1.0',
  info: { title: 'Acme', version: '1' },
  servers: [{ url: 'https://acme.test' }],
  components: {
    schemas: {
      Category: {
        required: ['id', 'name'],
        properties: {
          id: { type: 'integer' },
          name: { type: 'string', nullable: true },
          parent: { $ref: '#/components/schemas/Category' },
        },
      },
      Note: {
        required: ['key'],
        properties: {
          key: { type: 'string' },
          'odd-name': { type: ['string', 'null'] },
          "it's": { enum: ["a'b", 'c`${d}'] },
        },
      },
      Task: {
        required: ['id'],
        properties: {
          id: { type: 'string' },
          tags: { type: 'object', additionalProperties: { type: 'integer' } },
          watchers: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
  paths: {
    '/categories': {
      get: {
        operationId: 'listCategories',
        summary: 'Lists all categories. Slow.',
        parameters: [query('cursor', { type: 'string' }), query('limit', { type: 'integer' })],
        responses: {
          200: json(list('Category', { meta: { properties: { next_cursor: { type: 'string' } } } }), {
            data: [
              { id: 7, name: 'Seven' },
              { id: 8, name: null },
            ],
            meta: {},
          }),
        },
      },
    },
    '/projects/{project_id}/notes': {
      parameters: [inPath('project_id')],
      get: { responses: { 200: json({ type: 'array', items: { $ref: '#/components/schemas/Note' } }) } },
      post: {
        operationId: 'notes.create',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } } },
        responses: { 201: json({ $ref: '#/components/schemas/Note' }) },
      },
    },
    '/tasks': {
      get: {
        parameters: [
          query('updated_since', { type: 'string' }),
          query('page', { type: 'integer' }),
          query('done', { type: 'boolean' }),
        ],
        responses: { 200: json(list('Task')) },
      },
    },
    '/tasks/{id}': {
      get: {
        operationId: 'getTask',
        parameters: [inPath('id'), query('expand', { type: 'boolean' })],
        responses: { 200: json({ $ref: '#/components/schemas/Task' }) },
      },
      delete: { operationId: 'deleteTask', parameters: [inPath('id')], responses: { 204: { description: 'gone' } } },
    },
  },
};
