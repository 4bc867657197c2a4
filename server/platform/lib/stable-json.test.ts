import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stableJson } from './stable-json.ts';

describe('stableJson', () => {
  it('sorts keys at every level, leaves lists as they are and drops undefined', () => {
    expect(stableJson({ b: [{ z: 1, a: null }, 'x'], a: { d: undefined, C: true, c: new Date(0) } })).toBe(
      '{"a":{"C":true,"c":"1970-01-01T00:00:00.000Z"},"b":[{"a":null,"z":1},"x"]}',
    );
  });

  it('keeps a key named __proto__', () => {
    expect(stableJson(JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}'))).toBe('{"__proto__":{"c":2,"d":1},"b":1}');
  });

  it('survives parsing and writing again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = stableJson(value);
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
