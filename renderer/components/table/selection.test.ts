import { describe, expect, it } from 'vitest';
import { extendSelection, NOTHING_SELECTED, selectRows, toggleSelection } from './selection.ts';

const rows = {
  total: 8,
  rowAt: (index: number) => (index < 5 ? `k${index}` : undefined),
  rowKey: (row: string) => row,
};

describe('selection', () => {
  it('extends from the last toggled row in both directions', () => {
    const start = toggleSelection<string>(NOTHING_SELECTED, 'k2', 'k2');

    expect([...extendSelection(start, 4, rows).rows.keys()]).toEqual(['k2', 'k3', 'k4']);
    expect([...extendSelection(start, 1, rows).rows.keys()]).toEqual(['k2', 'k1']);
  });

  it('extends from the row itself, also when new rows above have moved it', () => {
    const start = toggleSelection<string>(NOTHING_SELECTED, 'k1', 'k1');
    const pushed = { ...rows, rowAt: (index: number) => (index < 2 ? `new${index}` : `k${index - 2}`) };

    expect([...extendSelection(start, 4, pushed).rows.keys()]).toEqual(['k1', 'k2']);
  });

  it('leaves out rows that are not loaded', () => {
    const start = toggleSelection<string>(NOTHING_SELECTED, 'k4', 'k4');

    expect([...extendSelection(start, 7, rows).rows.keys()]).toEqual(['k4']);
  });

  it('toggles a row off again', () => {
    const once = toggleSelection<string>(NOTHING_SELECTED, 'k1', 'k1');

    expect(toggleSelection(once, 'k1', 'k1').rows.size).toBe(0);
  });

  it('keeps the rows themselves', () => {
    const some = selectRows([{ id: 1 }, { id: 2 }], (row) => String(row.id));

    expect([...some.rows.values()]).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
