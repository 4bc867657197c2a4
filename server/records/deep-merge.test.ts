import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepMerge } from './record-writer.ts';

describe('deepMerge', () => {
  it('merges objects at every depth and replaces everything else', () => {
    const merged = deepMerge(
      { a: { b: { c: 1, d: 2 } }, list: [1, 2], text: 'x' },
      { a: { b: { d: null, e: [] } }, list: [3], text: { now: 'object' } },
    );

    expect(merged).toEqual({ a: { b: { c: 1, d: null, e: [] } }, list: [3], text: { now: 'object' } });
  });

  it('changes neither of its arguments and no prototype', () => {
    const target = JSON.parse('{"a":{"b":1},"__proto__":{"x":1}}') as Record<string, unknown>;
    const patch = JSON.parse('{"a":{"c":2},"__proto__":{"y":2}}') as Record<string, unknown>;

    const merged = deepMerge(target, patch);

    expect(JSON.stringify(merged)).toBe('{"a":{"b":1,"c":2},"__proto__":{"x":1,"y":2}}');
    expect(JSON.stringify(target)).toBe('{"a":{"b":1},"__proto__":{"x":1}}');
    expect(({} as Record<string, unknown>)['y']).toBeUndefined();
  });

  it('gives the patch back when it is merged into itself', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(JSON.stringify(deepMerge(value, value))).toBe(JSON.stringify(value));
      }),
    );
  });
});
