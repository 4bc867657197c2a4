import { describe, expect, it } from 'vitest';
import { toTypeScript } from './json-type.ts';

describe('toTypeScript', () => {
  it('names members, optional members of list elements, lists and nullable values', () => {
    const value = {
      id: 1,
      'odd key': true,
      lines: [
        { text: 'a', price: 2 },
        { text: 'b', note: null },
      ],
      mixed: ['a', 1],
      none: [],
      nothing: {},
      grid: [[1], [null, 2]],
    };

    expect(toTypeScript(value, 'sales order')).toBe(`export type SalesOrder = {
  id: number;
  "odd key": boolean;
  lines: {
    text: string;
    price?: number;
    note?: null;
  }[];
  mixed: (string | number)[];
  none: unknown[];
  nothing: Record<string, never>;
  grid: (number | null)[][];
};
`);
  });

  it('takes values that are no object, and names that begin with a digit', () => {
    expect(toTypeScript('x', '2 things')).toBe('export type Value2Things = string;\n');
    expect(toTypeScript([], '')).toBe('export type Value = unknown[];\n');
  });

  it('takes a long list in one go', () => {
    const rows = Array.from({ length: 50_000 }, (_, id) => ({ id, ...(id % 2 ? { odd: true } : {}) }));

    expect(toTypeScript(rows, 'rows')).toBe('export type Rows = {\n  id: number;\n  odd?: boolean;\n}[];\n');
  });
});
