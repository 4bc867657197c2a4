import { describe, expect, it } from 'vitest';
import { HeldRows, inTurn, MOST_HELD } from './held-rows.ts';

describe('HeldRows', () => {
  it('counts a row once', () => {
    const held = new HeldRows();
    expect([held.add('a'), held.add('a'), held.add('b')]).toEqual([true, false, true]);
    expect(held.count).toEqual({ rows: 2, isFull: false });
  });

  it('keeps a bounded number of keys of 60,000 events, and says that there are more', () => {
    const held = new HeldRows();
    let changes = 0;
    for (let index = 0; index < 60_000; index += 1) changes += held.add(`row ${index}`) ? 1 : 0;
    expect(held.count).toEqual({ rows: MOST_HELD, isFull: true });
    expect(changes).toBe(MOST_HELD + 1);
    held.clear();
    expect(held.count).toEqual({ rows: 0, isFull: false });
  });
});

describe('inTurn', () => {
  it('makes one more call of all that are asked for while one runs', async () => {
    const ends: Array<() => void> = [];
    const call = inTurn(() => new Promise<void>((resolve) => ends.push(resolve)));
    for (let index = 0; index < 100; index += 1) call();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.();
    await Promise.resolve();
    expect(ends).toHaveLength(2);
  });
});
