import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { silentLogger } from './logger.ts';
import { stopInPhases } from './stop-in-phases.ts';

const never = (): Promise<void> => new Promise(() => {});

function setUp() {
  const clock = new FakeClock();
  const order: string[] = [];
  const part = (name: string) => () => void order.push(name);
  return { clock, order, part, options: { clock, logger: silentLogger } };
}

describe('stopInPhases', () => {
  it('stops one phase after the other and leaves no timer', async () => {
    const { clock, options, order, part } = setUp();

    await stopInPhases(
      [
        { byMs: 100, parts: { a: part('a'), b: part('b') } },
        { byMs: 200, parts: { c: part('c') } },
      ],
      options,
    );

    expect(order).toEqual(['a', 'b', 'c']);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('goes on with everything else when a part %s, and names it', async (_how, broken) => {
    const { options, order, part } = setUp();

    const stopping = stopInPhases(
      [
        { byMs: 100, parts: { broken, a: part('a') } },
        { byMs: 200, parts: { lock: part('lock') } },
      ],
      options,
    );

    await expect(stopping).rejects.toThrow('Not stopped cleanly: broken.');
    expect(order).toEqual(['a', 'lock']);
  });

  it('keeps one deadline for all phases, however many parts hang', async () => {
    const { clock, options, order, part } = setUp();
    const failure = stopInPhases(
      [
        { byMs: 1000, parts: { first: never, a: part('a') } },
        { byMs: 1500, parts: { second: never } },
        { byMs: 1600, parts: { lock: part('lock') } },
      ],
      options,
    ).catch((error: Error) => error.message);

    await clock.advance(1000);
    expect(order).toEqual(['a']);
    await clock.advance(500);

    expect(await failure).toContain('first, second');
    expect(order).toEqual(['a', 'lock']);
  });
});
