import { describe, expect, it } from 'vitest';
import { MAX_JSON_BYTES } from '../shrink-json.ts';
import { payloadText } from './log-payload.ts';

const read = (payload: unknown): unknown => JSON.parse(payloadText(payload, 0) ?? 'null');

describe('payloadText', () => {
  it('makes objects of arrays and wraps primitives', () => {
    expect(read({ list: ['a', { b: 1 }] })).toEqual({ list: { 0: 'a', 1: { b: 1 } } });
    expect(read([1])).toEqual({ 0: 1 });
    expect(read('text')).toEqual({ payload: 'text' });
    expect(payloadText(undefined, 0)).toBeUndefined();
  });

  it('redacts, drops and names what does not belong in a log', () => {
    const payload = {
      Authorization: 'Bearer x',
      headers: { Authorization: { a: 1 } },
      stack: 's',
      httpAgent: {},
      file: Buffer.from('x'),
      at: new Date(0),
      n: 1n,
      f: () => 1,
    };

    expect(read(payload)).toEqual({
      Authorization: '[Redacted]',
      headers: { Authorization: '[Redacted]' },
      file: '[Buffer]',
      at: '1970-01-01T00:00:00.000Z',
      n: '1',
    });
  });

  it('ends at a depth of ten, at twenty nested members and at cycles', () => {
    const deep = Array.from({ length: 15 }).reduce<object>((inner) => ({ in: inner }), {});
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, {}]));
    const circular: Record<string, unknown> = { a: 1 };
    circular['self'] = circular;

    expect(payloadText(deep, 0)?.match(/"in"/g)).toHaveLength(10);
    expect(Object.keys(read(wide) as object)).toHaveLength(20);
    expect(read(circular)).toEqual({ a: 1, self: '[Circular]' });
  });

  it('removes the largest properties until the entry fits', () => {
    const payload = { small: 1, large: 'x'.repeat(90_000), larger: 'y'.repeat(95_000) };
    const text = payloadText(payload, 100) as string;

    expect(Object.keys(JSON.parse(text))).toEqual(['small', 'large']);
    expect(text.length + 100).toBeLessThanOrEqual(MAX_JSON_BYTES);
  });

  it('keeps what an error says', () => {
    expect(read({ error: Object.assign(new TypeError('bad'), { code: 'E' }) })).toEqual({
      error: { name: 'TypeError', message: 'bad', code: 'E' },
    });
  });
});
