import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { KeyedQueue } from './keyed-queue.ts';

describe('KeyedQueue', () => {
  it('runs the work of one key in order, also behind a failure, and that of others at once', async () => {
    const queue = new KeyedQueue();
    const seen: string[] = [];
    const work =
      (name: string, fails = false) =>
      async (): Promise<string> => {
        seen.push(`${name} begins`);
        await nextTurn();
        seen.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };

    const runs = [queue.run('k', work('1', true)), queue.run('k', work('2')), queue.run('other', work('3'))];
    const outcomes = await Promise.allSettled(runs);

    expect(outcomes).toMatchObject([{ reason: { message: '1' } }, { value: '2' }, { value: '3' }]);
    expect(seen.indexOf('2 begins')).toBeGreaterThan(seen.indexOf('1 ends'));
    expect(seen.indexOf('3 begins')).toBeLessThan(seen.indexOf('1 ends'));
  });
});
