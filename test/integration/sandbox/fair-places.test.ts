import { afterEach, describe, expect, it } from 'vitest';
import type { GuestContext } from '../../../functions/runtime/bridge.ts';
import type { Sandbox, SandboxLimits } from '../../../server/platform/sandbox/sandbox.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  actionCode,
  createSandbox,
  type Finished,
  outputOf,
  type RunOptions,
  runCode,
  startSandbox,
} from './sandbox-fixture.ts';

const SYNC = `module.exports.default = { type: 'sync', exec: async (nango) => { await nango.getEnvironmentVariables() } }`;
const BOTH = SYNC.replace('exec:', 'onWebhook: async (nango) => { await nango.getEnvironmentVariables() }, exec:');
const ACTION = actionCode('await nango.getEnvironmentVariables(); return 1');

describe('places of the sandbox', () => {
  let sandbox: Sandbox;
  afterEach(() => sandbox.stop());

  const start = async (limits: Partial<SandboxLimits>): Promise<void> => {
    sandbox = await startSandbox(limits);
  };

  /** Runs that report when they get a slot, and keep it until they are released. */
  const holder = () => {
    const placed: string[] = [];
    const held: Array<() => void> = [];
    const gate = Promise.withResolvers<void>();
    const hold = (name: string, code: string, context: Partial<GuestContext>, more: RunOptions = {}) =>
      runCode(sandbox, code, {
        context,
        host: {
          'environment.variables': () => {
            placed.push(name);
            const end = new Promise<void>((resolve) => held.push(resolve));
            return Promise.race([gate.promise, end]).then(() => []);
          },
        },
        ...more,
      });
    /** Ends the run that has had its slot longest and waits until another run has taken it. */
    const endOne = async (): Promise<void> => {
      const before = placed.length;
      held.shift()?.();
      await waitFor(() => placed.length > before);
    };
    return { placed, hold, endOne, letGo: gate.resolve };
  };
  const endings = async (runs: Array<Promise<Finished>>): Promise<boolean[]> =>
    (await Promise.all(runs)).map(({ outcome }) => outcome.ok);

  it('are left free for actions, however many syncs and webhooks wait', async () => {
    await start({ runsPerWorker: 4 });
    const { placed, hold, letGo } = holder();
    const flood = Array.from({ length: 40 }, (_, n) => hold('flood', BOTH, { scriptType: n % 2 ? 'sync' : 'webhook' }));
    await waitFor(() => placed.length === 3);

    expect(await outputOf(sandbox, 'return 1')).toBe(1);

    expect(placed).toHaveLength(3);
    expect(sandbox.stats().queued).toBe(37);
    letGo();
    await Promise.all(flood);
  });

  it('go in turns to integrations, environments and kinds, not to the one that asks most', async () => {
    await start({ runsPerWorker: 4 });
    const { placed, hold, letGo } = holder();
    const flood = Array.from({ length: 30 }, () => hold('flood', ACTION, { providerConfigKey: 'busy' }));
    await waitFor(() => placed.length === 4);
    const order: string[] = [];
    const others = [
      { name: 'other integration', context: { providerConfigKey: 'quiet' } },
      { name: 'other environment', context: { providerConfigKey: 'busy', environmentId: 2 } },
    ].map(({ name, context }) =>
      runCode(sandbox, actionCode('await nango.getEnvironmentVariables(); return 1'), {
        context,
        host: {
          'environment.variables': () => {
            order.push(`${name} after ${placed.length}`);
            return [];
          },
        },
      }),
    );

    letGo();
    expect(await endings([...flood, ...others])).toEqual(Array.from({ length: 32 }, () => true));

    // Each got one of the first slots that became free.
    for (const text of order) expect(Number(text.split(' after ')[1])).toBeLessThan(12);
    expect(order).toHaveLength(2);
  });

  it('let every partition of syncs go on while one floods', async () => {
    await start({ runsPerWorker: 4 });
    const { placed, hold, endOne, letGo } = holder();
    const sync = (name: string) => hold(name, SYNC, { scriptType: 'sync', providerConfigKey: name });
    const runs = [...Array.from({ length: 30 }, () => sync('busy')), sync('quiet')];
    await waitFor(() => placed.length === 3);

    // One at a time: isolates of runs that get their slots together may start in any order.
    while (!placed.includes('quiet')) await endOne();
    expect(placed.indexOf('quiet')).toBeLessThan(8);

    letGo();
    await Promise.all(runs);
    expect(placed).toHaveLength(31);
  });

  it('are waited for at most as long as a run may wait', async () => {
    await start({ runsPerWorker: 1 });
    const { placed, hold, letGo } = holder();
    const first = hold('first', ACTION, {});
    await waitFor(() => placed.includes('first'));

    const late = await hold('late', ACTION, {}, { startWithinMs: 50 });
    const patient = hold('patient', ACTION, {}, { startWithinMs: 60_000 });
    letGo();

    expect(late.outcome).toMatchObject({ ok: false, failure: { kind: 'not_started' } });
    expect(late.calls).toEqual([]);
    expect(await endings([first, patient])).toEqual([true, true]);
  });

  it('limit only the wait: a run that has started continues', async () => {
    const clock = new FakeClock();
    sandbox = await createSandbox({ clock });
    await sandbox.start();
    const { placed, hold, letGo } = holder();
    const begun = hold('begun', ACTION, {}, { startWithinMs: 100 });
    await waitFor(() => placed.includes('begun'));

    await clock.advance(200);
    letGo();

    expect((await begun).outcome.ok).toBe(true);
  });
});

describe('a worker that gives no sign of life', () => {
  const wait = actionCode('await new Promise((done) => setTimeout(done, input.ms)); return 1');

  it('loses its runs and its place, long before their time is over', async () => {
    const sandbox = await startSandbox({ silenceMs: 3000 });
    try {
      const silent = runCode(sandbox, wait, { input: { ms: 60_000 }, limits: { timeoutMs: 600_000 } });
      await waitFor(() => sandbox.stats().running === 1);
      process.kill(sandbox.stats().workers[0]?.pid as number, 'SIGSTOP');

      expect((await silent).outcome).toMatchObject({ ok: false, failure: { kind: 'worker_lost' } });
      expect(await outputOf(sandbox, 'return 2')).toBe(2);
    } finally {
      await sandbox.stop();
    }
  });

  it('differs from one whose run only waits', async () => {
    const sandbox = await startSandbox({ silenceMs: 3000 });
    try {
      const { outcome } = await runCode(sandbox, wait, { input: { ms: 4500 } });

      expect(outcome).toMatchObject({ ok: true });
    } finally {
      await sandbox.stop();
    }
  });
});
