import { describe, expect, it } from 'vitest';
import type { DeployedFunction, ParsedAction } from '../functions/deployments/deployed-function.ts';
import { toTool } from './mcp-tool.ts';

function deployed(input: Record<string, unknown> | undefined, changes: Partial<ParsedAction> = {}): DeployedFunction {
  const definition: ParsedAction = {
    type: 'action',
    name: 'act',
    description: '',
    version: '1',
    endpoint: null,
    input: 'Input',
    output: ['Output'],
    usedModels: [],
    scopes: [],
    json_schema: { definitions: input ? { Input: input } : {} },
    features: [],
    ...changes,
  };
  return { definition, isEnabled: true, bundleHash: 'b1' } as DeployedFunction;
}

describe('toTool', () => {
  it('keeps the schema of an object with what it refers to', () => {
    const schema = {
      type: 'object',
      properties: { kids: { $ref: '#/definitions/a' } },
      definitions: { a: { type: 'null' } },
    };

    expect(toTool(deployed(schema))).toEqual({
      name: 'act',
      description: 'act',
      risk: 'write',
      fingerprint: 'write b1',
      inputSchema: schema,
      takesInput: true,
    });
  });

  it.each([
    ['nothing', { type: 'null' }, { type: 'object', properties: {} }, false],
    ['an unknown model', undefined, { type: 'object', properties: {} }, false],
    ['anything', { description: 'x' }, { type: 'object', description: 'x' }, true],
  ])('offers an object for %s', (_what, schema, inputSchema, takesInput) => {
    expect(toTool(deployed(schema))).toMatchObject({ inputSchema, takesInput });
  });

  it.each([[{ type: 'array' }], [{ type: 'string' }], [{ anyOf: [{ type: 'object' }, { type: 'null' }] }]])(
    'hides an input of %j',
    (schema) => {
      expect(toTool(deployed(schema))).toBeUndefined();
    },
  );

  it.each([
    ['GET', 'read'],
    ['DELETE', 'delete'],
    ['POST', 'write'],
    ['PATCH', 'write'],
  ])('takes the risk of %s for %s', (method, risk) => {
    expect(toTool(deployed({ type: 'object' }, { endpoint: { method, path: '/x' } }))).toMatchObject({ risk });
  });

  it('hides what is switched off', () => {
    expect(toTool({ ...deployed({ type: 'object' }), isEnabled: false })).toBeUndefined();
  });
});
