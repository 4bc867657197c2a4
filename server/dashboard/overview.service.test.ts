import { describe, expect, it } from 'vitest';
import { gatherPlanned } from './overview.service.ts';

const HOUR = 3_600_000;
const row = { integrationKey: 'a', integrationName: null, provider: 'p', sync: 's', frequencyMs: HOUR, connections: 1 };
const DAY = { from: 0, slotMs: HOUR / 4, slotCount: 96 };

describe('gatherPlanned', () => {
  it('repeats a run until the end of the day and counts what is due as now', () => {
    const [planned] = gatherPlanned([{ ...row, nextAt: -5 }], DAY);

    expect(planned?.slots.flatMap((count, slot) => (count === 1 ? [slot] : []))).toEqual(
      Array.from({ length: 24 }, (_, hour) => hour * 4),
    );
  });

  it('joins the connections of a function at one pace, and keeps other paces apart', () => {
    const planned = gatherPlanned(
      [
        { ...row, nextAt: 0, connections: 2 },
        { ...row, nextAt: HOUR / 2, connections: 3 },
        { ...row, nextAt: HOUR, frequencyMs: 24 * HOUR },
      ],
      DAY,
    );

    expect(planned.map(({ connections, slots }) => [connections, slots[0], slots[2], slots[4]])).toEqual([
      [5, 2, 3, 2],
      [1, 0, 0, 1],
    ]);
  });

  it('counts several runs of a slot at a pace shorter than it', () => {
    const [planned] = gatherPlanned([{ ...row, nextAt: HOUR, frequencyMs: HOUR / 12 }], DAY);

    expect(planned?.slots.slice(3, 6)).toEqual([0, 3, 3]);
  });
});
