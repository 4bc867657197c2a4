import { afterEach, describe, expect, it, vi } from 'vitest';
import { subscribeToNow } from './use-now.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('subscribeToNow', () => {
  it('runs one timer for all times on the page, and none when nothing shows a time', () => {
    vi.useFakeTimers();
    vi.stubGlobal('document', { hidden: false });
    const first = vi.fn();
    const second = vi.fn();
    const offs = [subscribeToNow(first), subscribeToNow(second)];
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(5000);
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
    offs[0]?.();
    vi.advanceTimersByTime(5000);
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 2]);
    offs[1]?.();
    expect(vi.getTimerCount()).toBe(0);
  });
});
