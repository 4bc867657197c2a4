import { describe, expect, it } from 'vitest';
import { extendSelection, NOTHING_SELECTED, toggleSelection } from './selection.ts';

const keyAt = (index: number): string | undefined => (index < 5 ? `k${index}` : undefined);

describe('selection', () => {
  it('extends from the last toggled row in both directions', () => {
    const start = toggleSelection(NOTHING_SELECTED, 2, 'k2');

    expect([...extendSelection(start, 4, keyAt).keys]).toEqual(['k2', 'k3', 'k4']);
    expect([...extendSelection(start, 1, keyAt).keys]).toEqual(['k2', 'k1']);
  });

  it('leaves out rows that are not loaded', () => {
    const start = toggleSelection(NOTHING_SELECTED, 4, 'k4');

    expect([...extendSelection(start, 7, keyAt).keys]).toEqual(['k4']);
  });

  it('toggles a row off again', () => {
    const once = toggleSelection(NOTHING_SELECTED, 1, 'k1');

    expect(toggleSelection(once, 1, 'k1').keys.size).toBe(0);
  });
});
