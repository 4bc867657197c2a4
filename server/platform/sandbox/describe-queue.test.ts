import { describe, expect, it } from 'vitest';
import type { RawDefinition } from '../../../functions/runtime/bridge.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { DescribeError, DescribeQueue } from './describe-queue.ts';
import type { Bundle } from './sandbox-task.ts';

const bundle = (name: string): Bundle => ({ hash: name, code: '', fileName: `${name}.cjs` });
const raw = (name: string): RawDefinition => ({ type: 'action', props: { name }, hasOnWebhook: false });
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/** A queue whose descriptions end when the test says so; those of `broken` fail at once. `loseWorker` ends all that run. */
function createQueue() {
  const clock = new FakeClock();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const losses = new Set<() => void>();
  const queue = new DescribeQueue({
    clock,
    describe: ({ hash }) => {
      started.push(hash);
      if (hash.startsWith('broken')) return Promise.reject(new Error(hash));
      return new Promise((resolve, reject) => {
        ends.set(hash, () => resolve(raw(hash)));
        losses.add(() => reject(new DescribeError({ kind: 'worker_lost', detail: 'The function worker ended.' })));
      });
    },
  });
  const add = (list: string[]) => list.map((name) => queue.add(bundle(name)));
  const loseWorker = async (): Promise<void> => {
    for (const lose of losses) lose();
    losses.clear();
    await clock.advance(0);
  };
  return { clock, started, ends, loseWorker, add };
}

describe('DescribeQueue', () => {
  it('describes four bundles at a time, the others in their order', async () => {
    const { clock, started, ends, add } = createQueue();

    const results = add(names('b', 6));
    expect(started).toEqual(names('b', 4));
    ends.get('b2')?.();
    expect((await results[2])?.props).toEqual({ name: 'b2' });
    await clock.advance(0);

    expect(started).toEqual(names('b', 5));
  });

  it('reports a failure to its own caller, and goes on', async () => {
    const { clock, ends, add } = createQueue();

    const results = add([...names('broken', 6), 'good']);
    const settled = Promise.allSettled(results);
    await results[5]?.catch(() => undefined);
    await clock.advance(0);
    ends.get('good')?.();

    expect((await settled).map(({ status }) => status)).toEqual([...Array(6).fill('rejected'), 'fulfilled']);
  });

  it('describes each bundle once more, alone, when their worker is lost, and refuses only the one that ends it', async () => {
    const { clock, started, ends, loseWorker, add } = createQueue();
    const settled = Promise.allSettled(add(['b0', 'b1', 'b2', 'b3', 'b4']));
    await loseWorker();
    expect(started.slice(4)).toEqual(['b4']);
    for (const name of ['b4', 'b0', 'b1']) {
      ends.get(name)?.();
      await clock.advance(0);
    }
    expect(started.slice(5)).toEqual(['b0', 'b1', 'b2']);

    await loseWorker();
    ends.get('b3')?.();

    const results = await settled;
    expect(results.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    ]);
    expect(results[2]).toMatchObject({ reason: { message: 'The process that loads it ended twice.' } });
  });

  it('lets others pass those that do not end, up to eight at once', async () => {
    const { clock, started, ends, add } = createQueue();
    const results = add(names('b', 10));

    await clock.advance(1_000);
    expect(started).toEqual(names('b', 8));
    await clock.advance(1_000);
    expect(started).toHaveLength(8);
    ends.get('b0')?.();
    await results[0];
    await clock.advance(0);

    expect(started).toHaveLength(9);
  });
});
