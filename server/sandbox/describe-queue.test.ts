import { describe, expect, it } from 'vitest';
import type { RawDefinition } from '../../functions/runtime/bridge.ts';
import type { DescribedPart } from '../../functions/runtime/guest-link.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { DescribeQueue } from './describe-queue.ts';
import type { Bundle } from './sandbox-task.ts';

const bundle = (name: string): Bundle => ({ hash: name, code: '', fileName: `${name}.cjs` });
const raw = (name: string): RawDefinition => ({ type: 'action', props: { name }, hasOnWebhook: false });

function createQueue(describeTogether: (bundles: Bundle[]) => Promise<DescribedPart[]>) {
  const clock = new FakeClock();
  const alone: string[] = [];
  const together: string[][] = [];
  const first = Promise.withResolvers<void>();
  const queue = new DescribeQueue({
    clock,
    describeAlone: async ({ hash }) => {
      alone.push(hash);
      if (hash === 'first') await first.promise;
      if (hash === 'broken') throw new Error('broken');
      return raw(hash);
    },
    describeTogether: (bundles) => {
      together.push(bundles.map(({ hash }) => hash));
      return describeTogether(bundles);
    },
  });
  return { queue, clock, alone, together, endFirst: first.resolve };
}

describe('DescribeQueue', () => {
  it('gives one bundle an isolate at once and lets those that come meanwhile share the next', async () => {
    const { queue, alone, together, endFirst } = createQueue(async (bundles) =>
      bundles.map(({ hash }) => ({ ok: true, definition: raw(hash) })),
    );

    const results = ['first', 'a', 'b'].map((name) => queue.add(bundle(name)));
    endFirst();

    expect((await Promise.all(results)).map(({ props }) => props['name'])).toEqual(['first', 'a', 'b']);
    expect({ alone, together }).toEqual({ alone: ['first'], together: [['a', 'b']] });
  });

  it('describes each bundle of a failed batch alone, and reports only its own failure', async () => {
    const { queue, alone, endFirst } = createQueue(async (bundles) =>
      bundles.map(({ hash }) => (hash === 'good' ? { ok: true, definition: raw(hash) } : { ok: false })),
    );

    const results = ['first', 'broken', 'good', 'victim'].map((name) => queue.add(bundle(name)));
    endFirst();

    const settled = await Promise.allSettled(results);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(alone).toEqual(['first', 'broken', 'victim']);
  });

  it('describes every bundle alone when the shared isolate is lost', async () => {
    const { queue, alone, endFirst } = createQueue(() => Promise.reject(new Error('timeout')));

    const results = ['first', 'a', 'b'].map((name) => queue.add(bundle(name)));
    endFirst();

    await expect(Promise.all(results)).resolves.toHaveLength(3);
    expect(alone).toEqual(['first', 'a', 'b']);
  });

  it('lets others pass a bundle that does not end', async () => {
    const { queue, clock, alone, endFirst } = createQueue(async () => []);
    const first = queue.add(bundle('first'));
    const second = queue.add(bundle('second'));

    await clock.advance(1_000);

    await expect(second).resolves.toEqual(raw('second'));
    expect(alone).toEqual(['first', 'second']);
    endFirst();
    await first;
  });
});
