import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { PacedCalls } from './dashboard-events-bridge.ts';

describe('PacedCalls', () => {
  it('makes the first call at once and the last of a burst at the end of the interval', async () => {
    const clock = new FakeClock();
    const paced = new PacedCalls({ clock, intervalMs: 1000 });
    const made: number[] = [];

    for (const number of [1, 2, 3]) paced.call('a', () => made.push(number));
    expect(made).toEqual([1]);
    await clock.advance(999);
    expect(made).toEqual([1]);
    await clock.advance(1);
    expect(made).toEqual([1, 3]);
  });

  it('keeps keys apart and rests after a quiet interval', async () => {
    const clock = new FakeClock();
    const paced = new PacedCalls({ clock, intervalMs: 1000 });
    const made: string[] = [];

    paced.call('a', () => made.push('a'));
    paced.call('b', () => made.push('b'));
    await clock.advance(1000);

    expect(made).toEqual(['a', 'b']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('makes no call after the stop', async () => {
    const clock = new FakeClock();
    const paced = new PacedCalls({ clock, intervalMs: 1000 });
    const made: number[] = [];
    for (const number of [1, 2]) paced.call('a', () => made.push(number));

    paced.stop();
    await clock.advance(2000);

    expect(made).toEqual([1]);
    expect(clock.pendingTimers).toBe(0);
  });
});
