import { describe, expect, it } from 'vitest';
import { IdList } from './id-list.ts';

const MANY = Array.from({ length: 1000 }, (_, index) => `record-${index}`);

describe('IdList', () => {
  it('holds any text', () => {
    const ids = ['a\nb', '"quoted"', '\\', '日本', '', 'x","y'];

    expect([...IdList.of(ids)]).toEqual(ids);
  });

  it('slices as an array does', () => {
    const list = IdList.of(MANY);

    for (const [from, to] of [
      [0, 200],
      [255, 257],
      [256, 512],
      [900, 1100],
      [999, 1000],
      [1000, 1200],
      [5000, 5200],
      [10, 10],
    ] as const)
      expect(list.slice(from, to), `${from} to ${to}`).toEqual(MANY.slice(from, to));
    expect([list.length, list.slice(0, Number.MAX_SAFE_INTEGER)]).toEqual([1000, MANY]);
  });

  it('is empty without a line', () => {
    expect([new IdList('').length, [...new IdList('')]]).toEqual([0, []]);
  });
});
