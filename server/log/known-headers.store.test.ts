import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readHeaders, storeHeaders } from './known-headers.store.ts';

const hashOf = (values: unknown): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16);
const rangeOf = (length: number): number[] => Array.from({ length }, (_, place) => place);

describe('stored headers', () => {
  it('are read back in their order, whatever their names and values are', () => {
    const headers = {
      'content-type': 'application/json',
      'x-own': '1',
      date: 'Sun, 29 Nov 2026 11:00:00 GMT',
      constructor: '',
      'keep-alive': 'timeout=5',
      Accept: '*/*',
    };

    const stored = storeHeaders(headers, []);

    expect(stored).toEqual([
      7,
      'x-own',
      '1',
      -2,
      'Sun, 29 Nov 2026 11:00:00 GMT',
      'constructor',
      '',
      20,
      'Accept',
      '*/*',
    ]);
    expect(Object.entries(readHeaders(JSON.parse(JSON.stringify(stored))))).toEqual(Object.entries(headers));
  });

  it('are only those that can be read back', () => {
    expect(storeHeaders({ a: 1 }, [])).toBeUndefined();
    expect(storeHeaders({ a: ['b'] }, [])).toBeUndefined();
    expect(storeHeaders(JSON.parse('{"__proto__":"a"}'), [])).toBeUndefined();
    expect(storeHeaders('text', [])).toBeUndefined();
  });

  // Stored messages contain the places: the lists grow at their ends, where this test counts less than they have.
  it('keep their places', () => {
    expect(hashOf(rangeOf(75).map((place) => readHeaders([place])))).toBe('40916a0f45142f6f');
    expect(hashOf(rangeOf(75).map((place) => readHeaders([-1 - place, 'v'])))).toBe('a607559a2a8a2e33');
  });
});
