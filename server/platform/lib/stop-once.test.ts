import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stopOnce } from './stop-once.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(stop: () => Promise<void>) {
  const exit = vi.fn();
  const onError = vi.fn();
  return { exit, onError, ask: stopOnce({ stop, exit, onError, limitMs: 4500 }) };
}

describe('stopOnce', () => {
  it('stops once and ends with 0, however often it is asked', async () => {
    const stop = vi.fn(() => Promise.resolve());
    const { ask, exit, onError } = setUp(stop);

    ask();
    ask();
    await vi.advanceTimersByTimeAsync(0);

    expect(stop).toHaveBeenCalledOnce();
    expect(exit.mock.calls).toEqual([[0]]);
    expect(onError).not.toHaveBeenCalled();
  });

  it('ends with 1 when the stop fails', async () => {
    const failure = new Error('no');
    const { ask, exit, onError } = setUp(() => Promise.reject(failure));

    ask();
    await vi.advanceTimersByTimeAsync(0);

    expect(exit.mock.calls).toEqual([[1]]);
    expect(onError).toHaveBeenCalledWith(failure);
  });

  it('gives up a stop that hangs, so that the process never outlives its limit', async () => {
    const { ask, exit, onError } = setUp(() => new Promise(() => {}));

    ask();
    await vi.advanceTimersByTimeAsync(4499);
    expect(exit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    expect(exit.mock.calls).toEqual([[1]]);
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining('4500 ms') }));
  });
});
