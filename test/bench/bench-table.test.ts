import { describe, expect, it } from 'vitest';
import { benchTable } from './bench-table.ts';

describe('benchTable', () => {
  it('shows figures, ratio and result', () => {
    const table = benchTable([
      { what: 'a', unit: '/s', ours: 12_000, baseline: 24_000, goal: '≥ 0.50×', isMet: true },
      { what: 'b', unit: 'ms', ours: 9.5, goal: '≤ 8 ms', isMet: false },
      { what: 'c', unit: 'MB', ours: 42.25, baseline: 60, goal: '' },
    ]);

    expect(table.split('\n').slice(2)).toEqual([
      '| a | 12,000/s | 24,000/s | 0.50× | ≥ 0.50× | met |',
      '| b | 9.50 ms | – | – | ≤ 8 ms | **missed** |',
      '| c | 42.3 MB | 60.0 MB | 0.70× | – | – |',
    ]);
  });
});
