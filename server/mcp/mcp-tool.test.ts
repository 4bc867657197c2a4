import { describe, expect, it } from 'vitest';
import type { DeployedFunction, ParsedAction } from '../functions/deployments/deployed-function.ts';
import { coversVersion, describeChange, toolFingerprint, toTool } from './mcp-tool.ts';

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
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      fingerprint: expect.stringMatching(/^write b1 \S{16}$/),
      inputSchema: schema,
      takesInput: true,
    });
  });

  it('adds the models of the function that a schema refers to', () => {
    const Input = { type: 'object', properties: { kid: { $ref: '#/definitions/Kid' } } };
    const Output = { type: 'object', properties: { all: { type: 'array', items: { $ref: '#/definitions/Kid' } } } };
    const definitions = { Input, Output, Kid: { type: 'object', properties: { name: { type: 'string' } } } };

    const { Kid } = definitions;
    expect(toTool(deployed(Input, { json_schema: { definitions } }))).toMatchObject({
      inputSchema: { ...Input, definitions: { Kid } },
      outputSchema: { ...Output, definitions: { Kid } },
    });
  });

  it('offers an input that is only another name of an object', () => {
    const Real = { type: 'object', properties: { text: { type: 'string' } } };
    const definitions = { Input: { $ref: '#/definitions/Real' }, Real };
    expect(toTool(deployed(undefined, { json_schema: { definitions } }))).toMatchObject({ inputSchema: Real });
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

describe('a permission', () => {
  const schema = { type: 'object' as const, properties: { a: {} } };
  const allowed = toolFingerprint('read', 'code1', schema);

  it.each([
    ['risk', toolFingerprint('write', 'code1', schema), 'You allowed it when it only read. Now it writes.'],
    ['code', toolFingerprint('read', 'code2', schema), 'Its code has changed since you allowed it.'],
    ['input', toolFingerprint('read', 'code1', { type: 'object' }), 'Its input has changed since you allowed it.'],
  ])('does not cover another %s', (_, current, change) => {
    expect(coversVersion(allowed, current)).toBe(false);
    expect(describeChange(allowed, current)).toBe(change);
  });

  it('covers the same version, also when an older hub stored it', () => {
    expect(coversVersion(allowed, allowed)).toBe(true);
    expect(coversVersion('read code1', allowed)).toBe(true);
    expect(coversVersion('read code', allowed)).toBe(false);
    expect(coversVersion('', allowed)).toBe(false);
  });
});
