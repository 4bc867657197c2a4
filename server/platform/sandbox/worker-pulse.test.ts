import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { WorkerPulse } from './worker-pulse.ts';

const SECOND = 1_000;
let clock: FakeClock;
let pulse: WorkerPulse;
let events: string[];

beforeEach(() => {
  clock = new FakeClock();
  events = [];
  pulse = new WorkerPulse({
    clock,
    silentMs: 10 * SECOND,
    deadMs: 30 * SECOND,
    onSilent: () => events.push('silent'),
    onDead: () => events.push('dead'),
  });
  pulse.start();
});

describe('the pulse of a worker', () => {
  it('tells of a silent worker after 10 s, and of a dead one after 30 s', async () => {
    await clock.advance(9 * SECOND);
    expect(events).toEqual([]);
    await clock.advance(SECOND);
    expect(events).toEqual(['silent']);
    await clock.advance(19 * SECOND);
    expect(events).not.toContain('dead');
    await clock.advance(SECOND);
    expect(events.at(-1)).toBe('dead');
  });

  it('starts again with each message', async () => {
    for (let seconds = 0; seconds < 60; seconds += 9) {
      await clock.advance(9 * SECOND);
      pulse.beat();
    }

    expect(events).toEqual([]);
  });

  it('counts the sleep of the computer, and a step of the clock, as two seconds at most', async () => {
    await clock.advance(5 * SECOND);
    await clock.skip(3_600 * SECOND);
    await clock.advance(2 * SECOND);
    await clock.skip(-7_200 * SECOND);
    await clock.advance(SECOND);

    expect(events).toEqual([]);
  });

  it('says nothing after it was stopped', async () => {
    pulse.stop();
    await clock.advance(60 * SECOND);

    expect(events).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
