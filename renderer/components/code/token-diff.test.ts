import { describe, expect, it } from 'vitest';
import { diffTokens } from './token-diff.ts';

const parts = (from: string, to: string, language: 'json' | 'code'): Array<[removed: string, added: string]> =>
  diffTokens(from, to, language).map(({ fromA, toA, fromB, toB }) => [from.slice(fromA, toA), to.slice(fromB, toB)]);

const changed = (before: unknown, after: unknown) =>
  parts(JSON.stringify(before, null, 2), JSON.stringify(after, null, 2), 'json');

describe('the difference of two JSON texts', () => {
  it('holds whole values, however many letters they share', () => {
    expect(changed({ status: 'AUTHORISED', total: 4120.5 }, { status: 'AUTHORED', total: -4020.5 })).toEqual([
      ['"AUTHORISED"', '"AUTHORED"'],
      ['4120.5', '-4020.5'],
    ]);
    expect(changed({ text: 'a "quoted" \\ word 😀' }, { text: 'a "quoted" \\ word 😁' })).toEqual([
      ['"a \\"quoted\\" \\\\ word 😀"', '"a \\"quoted\\" \\\\ word 😁"'],
    ]);
    expect(changed([true, null], [false, null])).toEqual([['true', 'false']]);
  });

  it('keeps equal members apart from added and removed ones', () => {
    const [[removed, added] = ['', ''], ...others] = changed({ id: 1 }, { id: 1, paid: 'x' });

    expect(others).toEqual([]);
    expect(removed).toBe('');
    expect(added).toContain('"paid": "x"');
    expect(changed({ id: 1 }, { id: 1 })).toEqual([]);
  });

  it('is that of the letters for more different values than there are characters', () => {
    const many = Array.from({ length: 70_000 }, (_, index) => index);

    expect(changed([...many, 10], [...many, 11])).toEqual([['0', '1']]);
  });
});

describe('the difference of two texts of code', () => {
  it('holds whole words, and numbers with their decimals', () => {
    expect(parts("const state = 'AUTHORISED';", "const state = 'PAID';", 'code')).toEqual([['AUTHORISED', 'PAID']]);
    expect(parts('limit(4120.50)', 'limit(0.50)', 'code')).toEqual([['4120.50', '0.50']]);
    expect(parts('fetch(contact)', 'fetch(contacts)', 'code')).toEqual([['contact', 'contacts']]);
  });

  it('shows an added line alone, and nothing for equal texts', () => {
    expect(parts('a();\nc();', 'a();\nb();\nc();', 'code').map(([removed]) => removed)).toEqual(['']);
    expect(parts('a b', 'a b', 'code')).toEqual([]);
    expect(parts('', 'new', 'code')).toEqual([['', 'new']]);
  });
});
