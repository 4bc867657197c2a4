import { describe, expect, it } from 'vitest';
import { BatchedWork } from './function-deployer.ts';

describe('BatchedWork', () => {
  it('makes one batch of what is added while another is under way, in order and never too large', async () => {
    const batches: number[][] = [];
    const work = new BatchedWork<number>({
      batchSize: 3,
      work: async (items) => {
        batches.push(items);
        await new Promise((resolve) => setImmediate(resolve));
      },
    });

    await Promise.all([1, 2, 3, 4, 5, 6].map((item) => work.add(item)));
    await work.finish();

    expect(batches).toEqual([[1], [2, 3, 4], [5, 6]]);
  });

  it('makes a caller wait that adds while a full batch waits', async () => {
    const first = Promise.withResolvers<void>();
    const work = new BatchedWork<number>({ batchSize: 1, work: () => first.promise });
    const order: string[] = [];

    void work.add(1).then(() => order.push('first'));
    const second = work.add(2).then(() => order.push('second'));
    await new Promise((resolve) => setImmediate(resolve));
    order.push('released');
    first.resolve();
    await second;

    expect(order).toEqual(['first', 'released', 'second']);
    await work.finish();
  });

  it('rejects at the end with a failure and does no work after it', async () => {
    const seen: number[] = [];
    const work = new BatchedWork<number>({
      batchSize: 1,
      work: async ([item = 0]) => {
        seen.push(item);
        throw new Error(`item ${item}`);
      },
    });

    await work.add(1);
    await work.add(2);

    await expect(work.finish()).rejects.toThrow('item 1');
    expect(seen).toEqual([1]);
  });
});
