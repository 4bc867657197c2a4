import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { createResponseBudget, type ResponseBudget, type RunResponses } from './response-budget.ts';

const MEBIBYTE = 1024 * 1024;

/** A response that is read in steps of one mebibyte. */
function startReading(run: RunResponses, mebibytes: number) {
  const reading = { read: 0, answer: undefined as object | undefined, error: undefined as Error | undefined };
  const done = run
    .hold(async (reserve) => {
      for (; reading.read < mebibytes; reading.read++) await reserve(MEBIBYTE);
      return {};
    })
    .then(
      (response) => {
        reading.answer = response;
      },
      (error: Error) => {
        reading.error = error;
      },
    );
  return Object.assign(reading, { done });
}

describe('ResponseBudget', () => {
  const create = () => {
    const clock = new FakeClock();
    return { clock, budget: createResponseBudget({ clock }) };
  };
  const held = (budget: ResponseBudget): number => budget.heldBytes / MEBIBYTE;

  it('holds the bytes of an answer until it is released', async () => {
    const { budget } = create();
    const run = budget.open();
    const reading = startReading(run, 90);
    await reading.done;

    expect(held(budget)).toBe(90);
    run.releaseOf(reading.answer)?.();
    expect(held(budget)).toBe(0);
  });

  it('does not count a small answer once it is read', async () => {
    const { budget } = create();
    const run = budget.open();

    const response = await run.hold(async (reserve) => {
      await reserve(1000);
      return {};
    });

    expect([held(budget), run.releaseOf(response)]).toEqual([0, undefined]);
  });

  it('gives what a failed reading held back', async () => {
    const { budget } = create();
    const failing = budget.open().hold(async (reserve) => {
      await reserve(MEBIBYTE);
      throw new Error('broken');
    });

    await expect(failing).rejects.toThrow('broken');
    expect(held(budget)).toBe(0);
  });

  it('lets twenty answers of 90 MB of one run through, one after the other', async () => {
    const { budget, clock } = create();
    const run = budget.open();
    const all = Array.from({ length: 20 }, () => startReading(run, 90));
    let most = 0;
    for (let n = 0; n < all.length; n++) {
      const next = await waitFor(() =>
        all.find(({ answer: response }) => response && run.releaseOf(response) && response),
      );
      most = Math.max(most, held(budget));
      run.releaseOf(next.answer)?.();
      next.answer = undefined;
    }
    await Promise.all(all.map(({ done }) => done));

    expect(all.map(({ error }) => error)).toEqual(all.map(() => undefined));
    expect(most).toBeLessThanOrEqual(200);
    expect([held(budget), clock.pendingTimers]).toEqual([0, 0]);
  });

  it('never waits for ever when many runs read at once, and bounds what all of them hold', async () => {
    const { budget } = create();
    const runs = Array.from({ length: 12 }, () => budget.open());
    const all = runs.map((run) => ({ run, reading: startReading(run, 90) }));
    let most = 0;
    for (let n = 0; n < all.length; n++) {
      const next = await waitFor(() => all.find(({ reading }) => reading.answer));
      most = Math.max(most, held(budget));
      next.run.releaseOf(next.reading.answer)?.();
      next.reading.answer = undefined;
    }

    // 256 MB in total, 100 MB of the run that may exceed it, 4 MB of each run.
    expect(most).toBeLessThanOrEqual(256 + 100 + 12 * 4);
    expect(held(budget)).toBe(0);
  });

  it('keeps room for ordinary answers of a run, whatever the others hold', async () => {
    const { budget } = create();
    for (let n = 0; n < 6; n++) void startReading(budget.open(), 90);
    await waitFor(() => held(budget) > 256);

    const ordinary = startReading(budget.open(), 4);
    await ordinary.done;

    expect(ordinary.answer).toBeDefined();
  });

  it('refuses an answer that waited 20 s in all for others of its run, and says so', async () => {
    const { budget, clock } = create();
    const run = budget.open();
    const first = startReading(run, 90);
    const late = startReading(run, 90);
    await first.done;
    await clock.advance(15_000);
    run.releaseOf(first.answer)?.();
    const third = startReading(run, 90);
    await late.done;
    expect(late.error).toBeUndefined();
    await clock.advance(19_000);
    expect(third.error).toBeUndefined();
    await clock.advance(1_000);
    await third.done;

    expect(third.error).toMatchObject({ code: 'ERR_TOO_MANY_LARGE_RESPONSES' });
    expect(third.error?.message).toContain('100 MB');
    expect(held(budget)).toBe(90);
  });

  it('refuses an answer that waited ten minutes, and whatever waits when its run ends', async () => {
    const { budget, clock } = create();
    const run = budget.open();
    const first = startReading(run, 90);
    const late = startReading(run, 90);
    await first.done;
    await clock.advance(10 * 60_000);
    await late.done;
    expect(late.error).toMatchObject({ code: 'ERR_TOO_MANY_LARGE_RESPONSES' });

    const cut = startReading(run, 90);
    await waitFor(() => cut.read >= 10);
    run.close();
    await cut.done;

    expect(cut.error?.message).toBe('The run has ended.');
    expect([held(budget), clock.pendingTimers]).toEqual([0, 0]);
  });

  it('holds an answer for the error that carries it', async () => {
    const { budget } = create();
    const run = budget.open();
    const reading = startReading(run, 1);
    await reading.done;
    const error = {};
    run.pass(reading.answer as object, error);

    run.releaseOf(error)?.();

    expect(held(budget)).toBe(0);
  });
});
