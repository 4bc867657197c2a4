import { describe, expect, it } from 'vitest';
import type { ParsedAction } from '../../../functions/compiler/parsed-definition.ts';
import { SchemaCheck } from './schema-check.ts';

function checkOf(schema: Record<string, unknown>, others: Record<string, Record<string, unknown>> = {}): SchemaCheck {
  const definition: ParsedAction = {
    type: 'action',
    name: 'make',
    description: '',
    version: '',
    endpoint: null,
    input: 'In',
    output: ['Out'],
    usedModels: ['In', 'Out'],
    scopes: [],
    json_schema: { definitions: { In: { type: 'null' }, Out: schema, ...others } },
    features: [],
  };
  return new SchemaCheck(definition);
}

describe('SchemaCheck', () => {
  it('reports the value, its path and the rule', () => {
    const schema = { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] };

    expect(checkOf(schema).output({ id: 'x' })).toEqual([
      { model: 'Out', path: 'id', message: expect.any(String), keyword: 'invalid_type' },
    ]);
    expect(checkOf(schema).output({ id: 1 })).toEqual([]);
  });

  it('checks models that the schema refers to', () => {
    const schema = { type: 'object', properties: { kid: { $ref: '#/definitions/Kid' } } };
    const check = checkOf(schema, { Kid: { type: 'object', properties: { age: { type: 'number' } } } });

    expect(check.output({ kid: { age: 3 } })).toEqual([]);
    expect(check.output({ kid: { age: 'x' } })).toMatchObject([{ path: 'kid.age', keyword: 'invalid_type' }]);
  });

  it('reports a schema with keywords that cannot be checked', () => {
    const [problem] = checkOf({ type: 'object', if: { type: 'object' } }).output({});

    expect(problem).toMatchObject({ model: 'Out', keyword: 'unreadable_schema' });
    expect(problem?.message).toContain('cannot be checked');
  });
});
