import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.ts';

describe('FakeClock', () => {
  it('runs timers in the order of their time, each at its own moment', async () => {
    const clock = new FakeClock(0);
    const seen: Array<[string, number]> = [];
    clock.after(20, () => seen.push(['late', clock.now()]));
    clock.after(10, () => {
      seen.push(['early', clock.now()]);
      clock.after(5, () => seen.push(['nested', clock.now()]));
    });

    await clock.advance(30);

    expect(seen).toEqual([
      ['early', 10],
      ['nested', 15],
      ['late', 20],
    ]);
    expect(clock.now()).toBe(30);
    expect(clock.pendingTimers).toBe(0);
  });

  it('runs what became due during a skip late, and once', async () => {
    const clock = new FakeClock(0);
    const seen: number[] = [];
    const again = (): void => {
      seen.push(clock.now());
      clock.after(10, again);
    };
    clock.after(10, again);

    await clock.skip(95);
    expect(seen).toEqual([95]);
    await clock.advance(10);

    expect(seen).toEqual([95, 105]);
  });

  it('ends a sleep at its time and not before', async () => {
    const clock = new FakeClock(0);
    let awake = false;
    void clock.sleep(100).then(() => (awake = true));

    await clock.advance(99);
    expect(awake).toBe(false);
    await clock.advance(1);
    expect(awake).toBe(true);
  });

  it('ends a sleep with the reason of its signal', async () => {
    const clock = new FakeClock(0);
    const controller = new AbortController();
    const sleep = clock.sleep(100, controller.signal);

    controller.abort(new Error('stopped'));

    await expect(sleep).rejects.toThrow('stopped');
    expect(clock.pendingTimers).toBe(0);
  });

  it('drops a cancelled timer', async () => {
    const clock = new FakeClock(0);
    const timer = clock.after(1, () => expect.unreachable());

    timer.cancel();

    await clock.advance(10);
  });
});
