import { describe, expect, it } from 'vitest';
import { TimedCache } from './timed-cache.ts';

describe('TimedCache', () => {
  it('loads once for callers at the same time and again when the time is over', async () => {
    let now = 0;
    let loads = 0;
    const cache = new TimedCache<number>({ ttlMs: 10, now: () => now });
    const get = () => cache.get('k', async () => ++loads);

    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    now = 9;
    expect(await get()).toBe(1);
    now = 10;
    expect(await get()).toBe(2);
  });

  it('does not cache a failure', async () => {
    const cache = new TimedCache<number>({ ttlMs: 10, now: () => 0 });

    await expect(cache.get('k', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await cache.get('k', async () => 1)).toBe(1);
  });
});
