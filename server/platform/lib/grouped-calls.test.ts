import { describe, expect, it } from 'vitest';
import { groupCalls } from './grouped-calls.ts';

describe('groupCalls', () => {
  it('works on all items of a turn at once, and on those that come meanwhile after that', async () => {
    const groups: number[][] = [];
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const double = groupCalls(async (items: number[]) => {
      groups.push(items);
      began.resolve();
      await gate.promise;
      return items.map((item) => item * 2);
    }, 10);

    const first = Promise.all([1, 2].map(double));
    await began.promise;
    const second = Promise.all([3, 4, 5].map(double));
    gate.resolve();

    expect(await first).toEqual([2, 4]);
    expect(await second).toEqual([6, 8, 10]);
    expect(groups).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it('makes no group larger than it may be', async () => {
    const sizes: number[] = [];
    const keep = groupCalls(async (items: number[]) => {
      sizes.push(items.length);
      return items;
    }, 2);

    expect(await Promise.all([1, 2, 3, 4, 5].map(keep))).toEqual([1, 2, 3, 4, 5]);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('gives an error only to the caller whose item fails alone', async () => {
    const groups: number[][] = [];
    const check = groupCalls(async (items: number[]) => {
      groups.push(items);
      if (items.includes(2)) throw new Error(`failed with ${items}`);
      return items.map((item) => `${item} works`);
    }, 10);

    const ends = await Promise.allSettled([1, 2, 3].map(check));

    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason)))).toEqual([
      '1 works',
      'Error: failed with 2',
      '3 works',
    ]);
    expect(groups).toEqual([[1, 2, 3], [1], [2], [3]]);
  });
});
