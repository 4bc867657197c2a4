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

it('says the limits of a value', () => {
  expect(schemaType({ type: 'integer', minimum: 1, maximum: 5 })).toBe('whole number, 1 to 5');
  expect(schemaType({ type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 })).toBe('whole number');
  expect(schemaType({ type: 'integer', minimum: 0, maximum: 9007199254740991 })).toBe('whole number, at least 0');
  expect(schemaType({ type: 'number', exclusiveMinimum: 0, default: 1.5 })).toBe('number, more than 0, default 1.5');
  expect(schemaType({ type: 'string', minLength: 1, maxLength: 80 })).toBe('text, 1 to 80 characters');
  expect(schemaType({ type: 'array', items: { type: 'string' }, maxItems: 3 })).toBe('list of text, up to 3 items');
  expect(schemaType({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] })).toBe(
    'whole number, at least 1 or null',
  );
});
