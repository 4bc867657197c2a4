import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText, toPlainJson, utf8Length } from './plain-json.ts';

describe('utf8Length', () => {
  it('counts bytes as the encoder does, lone surrogates included', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => utf8Length(text) === Buffer.byteLength(text)));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0xd700, max: 0xe100 })), (units) => {
        const text = String.fromCharCode(...units);
        return utf8Length(text) === Buffer.byteLength(text);
      }),
    );
  });
});

describe('plain JSON', () => {
  it('detaches a value and drops what JSON does not know', () => {
    expect(toPlainJson({ a: undefined, b: new Date(0), c: () => 1, d: [undefined] })).toEqual({
      b: '1970-01-01T00:00:00.000Z',
      d: [null],
    });
  });

  it('returns a text for a value that cannot be serialised', () => {
    const thrower = {
      toJSON() {
        throw new Error('no');
      },
    };

    expect([jsonText(thrower), jsonText(1n), jsonText(undefined)]).toEqual(['"[object Object]"', '"1"', 'null']);
  });

  it('keeps members next to a cycle or a BigInt', () => {
    const shared = { n: 1 };
    const circular: Record<string, unknown> = { reason: 'kept', id: 5n, first: shared, list: [shared, [2n]] };
    circular['self'] = circular;
    circular['deep'] = { up: circular };

    expect(toPlainJson(circular)).toEqual({
      reason: 'kept',
      id: '5',
      first: { n: 1 },
      list: [{ n: 1 }, ['2']],
      self: '[Circular]',
      deep: { up: '[Circular]' },
    });
  });
});
