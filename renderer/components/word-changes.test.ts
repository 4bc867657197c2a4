import { describe, expect, it } from 'vitest';
import { wordChanges } from './word-changes.ts';

const texts = (before: string, after: string): Array<[removed: string, added: string]> =>
  wordChanges(before, after).map(({ fromA, toA, fromB, toB }) => [before.slice(fromA, toA), after.slice(fromB, toB)]);

describe('wordChanges', () => {
  it('replaces a word whole, although both have letters in common', () => {
    expect(texts('"status": "AUTHORISED",', '"status": "PAID",')).toEqual([['AUTHORISED', 'PAID']]);
  });

  it('replaces a number with its decimals', () => {
    expect(texts('{ "due": 4120.50 }', '{ "due": 0.50 }')).toEqual([['4120.50', '0.50']]);
  });

  it('replaces a word that became longer', () => {
    expect(texts('fetch(contact)', 'fetch(contacts)')).toEqual([['contact', 'contacts']]);
  });

  it('shows an added line alone', () => {
    expect(texts('{\n  "price": 1\n}', '{\n  "paid": true,\n  "price": 1\n}').map(([removed]) => removed)).toEqual([
      '',
    ]);
  });

  it('finds nothing in equal texts, nor in empty ones', () => {
    expect(texts('a b', 'a b')).toEqual([]);
    expect(texts('', '')).toEqual([]);
    expect(texts('', 'new')).toEqual([['', 'new']]);
  });
});
