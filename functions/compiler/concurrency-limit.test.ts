import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit } from './concurrency-limit.ts';

describe('ConcurrencyLimit', () => {
  it('runs at most `size` tasks at once, and all of them in the end', async () => {
    const limit = new ConcurrencyLimit(2);
    let running = 0;
    let most = 0;
    const work = async (value: number) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return value;
    };

    const results = await Promise.all([1, 2, 3, 4, 5].map((value) => limit.run(() => work(value))));

    expect({ results, most }).toEqual({ results: [1, 2, 3, 4, 5], most: 2 });
  });

  it('frees the slot of a task that failed', async () => {
    const limit = new ConcurrencyLimit(1);

    const failing = limit.run(() => Promise.reject(new Error('broken')));
    const next = limit.run(() => Promise.resolve('done'));

    await expect(failing).rejects.toThrow('broken');
    await expect(next).resolves.toBe('done');
    await expect(limit.run(() => Promise.resolve('again'))).resolves.toBe('again');
  });
});
