import { expect, it } from 'vitest';
import { schemaFields, schemaType } from './schema-fields.ts';

it('lists members with their types, inner ones below', () => {
  const fields = schemaFields({
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string', description: 'Number of the invoice' },
      state: { enum: ['open', 'paid'] },
      lines: { type: 'array', items: { $ref: '#/definitions/Line' } },
    },
    definitions: { Line: { type: 'object', properties: { sku: { type: ['string', 'null'] } } } },
  });

  expect(fields.map(({ path, type, isRequired }) => [path, type, isRequired])).toEqual([
    ['id', 'text', true],
    ['state', 'one of open, paid', false],
    ['lines[]', 'list of object', false],
    ['lines[].sku', 'text or null', false],
  ]);
  expect(fields[0]?.description).toBe('Number of the invoice');
});

it('ends where a schema refers to itself', () => {
  const tree = { properties: { child: { $ref: '#/definitions/Tree' } } };
  expect(schemaFields({ ...tree, definitions: { Tree: tree } })).toHaveLength(4);
});

it('describes a schema that is not an object', () => {
  expect(schemaType({ type: 'string', format: 'date-time' })).toBe('text (date-time)');
  expect(schemaType({ anyOf: [{ type: 'number' }, { const: 'all' }] })).toBe('number or "all"');
});
