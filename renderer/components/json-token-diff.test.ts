import { describe, expect, it } from 'vitest';
import { diffJsonTokens } from './json-token-diff.ts';

const changed = (before: unknown, after: unknown): Array<[string, string]> => {
  const [from, to] = [JSON.stringify(before, null, 2), JSON.stringify(after, null, 2)];
  return diffJsonTokens(from, to).map((change) => [
    from.slice(change.fromA, change.toA),
    to.slice(change.fromB, change.toB),
  ]);
};

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
