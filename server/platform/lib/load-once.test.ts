import { describe, expect, it } from 'vitest';
import { loadOnce } from './load-once.ts';

describe('loadOnce', () => {
  it('loads at the first call, and only once for all callers', async () => {
    let count = 0;
    const get = loadOnce(async () => ++count);
    expect(count).toBe(0);

    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    expect(await get()).toBe(1);
  });

  it('loads again after a failure, which all callers of that load receive', async () => {
    let count = 0;
    const get = loadOnce(async () => {
      count += 1;
      if (count === 1) throw new Error('The disk is full.');
      return count;
    });

    expect(await Promise.allSettled([get(), get()])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(count).toBe(1);
    expect(await get()).toBe(2);
  });
});
