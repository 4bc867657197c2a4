import { describe, expect, it } from 'vitest';
import { growthTables, slope } from './growth-table.ts';

describe('slope', () => {
  it('is 0 for what does not grow, and 1 for what grows like the size', () => {
    expect(slope([10, 100, 1000], [5, 6, 5])).toBeCloseTo(0);
    expect(slope([10, 100, 1000], [1, 10, 100])).toBeCloseTo(1);
    expect(slope([10, 1000], [2, 20])).toBeCloseTo(0.5);
    expect(slope([10, 1000], [0, 0])).toBe(0);
  });
});

describe('growthTables', () => {
  it('shows each figure at each size', () => {
    const figures = [{ what: 'start', unit: 'ms' as const, values: [400, 420, 4000] }];

    expect(growthTables([{ of: 'functions', sizes: [2, 200, 2000], figures }]).split('\n')).toEqual([
      '| functions | 2 | 200 | 2,000 | slope |',
      '| --- | --- | --- | --- | --- |',
      '| start | 400 ms | 420 ms | 4,000 ms | 0.33 |',
    ]);
  });
});
