// @module-tag slow
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxLimits } from '../../../server/platform/sandbox/sandbox.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { actionCode, createSandbox, outputOf, runCode, startSandbox } from './sandbox-fixture.ts';

/** With a clock that jumps, no heartbeat of the worker process would come in time. */
const PATIENT = { workerSilentMs: Number.POSITIVE_INFINITY, workerDeadMs: Number.POSITIVE_INFINITY };

describe('workers of the sandbox', () => {
  let sandbox: Sandbox;
  afterEach(() => sandbox.stop());

  const start = async (limits: Partial<SandboxLimits> = {}, workers = 1) => {
    sandbox = await startSandbox(limits, workers);
  };
  const waiting = 'await nango.getEnvironmentVariables(); return 1;';
  /** A host that reports requests and responses on the test's command. */
  const gate = () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const release = Promise.withResolvers<void>();
    const respond = (_: unknown, signal: AbortSignal) => {
      asked.resolve(signal);
      return release.promise.then(() => []);
    };
    return { asked: asked.promise, release: release.resolve, host: { 'environment.variables': respond } };
  };

  it('reports a killed worker to its runs, replaces it and continues with waiting runs', {
    tags: ['main-path'],
  }, async () => {
    await start({ runsPerWorker: 1 });
    const { asked, host } = gate();
    const lost = runCode(sandbox, actionCode(waiting), { host });
    const next = outputOf(sandbox, 'return 2');
    const signal = await asked;

    process.kill(sandbox.stats().workers[0]?.pid as number, 'SIGKILL');

    expect((await lost).outcome).toMatchObject({ ok: false, failure: { kind: 'worker_lost' } });
    expect(signal.aborted).toBe(true);
    expect(await next).toBe(2);
    expect(sandbox.stats().workersLost).toBe(1);
  });

  it.runIf(process.platform === 'linux')('does not get the Ctrl-C that a terminal sends to the server', async () => {
    await start();
    const pid = sandbox.stats().workers[0]?.pid;
    // After the name in brackets: state, parent, process group. A terminal signals the group of the server.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');

    expect(group).toBe(String(pid));
  });

  it('starts another worker at once, however often functions take one down', async () => {
    // Its timers never fire, so that code that waits for one hangs.
    sandbox = await createSandbox({ clock: new FakeClock() });
    await sandbox.start();
    for (let lost = 1; lost <= 4; lost++) {
      const { asked, host } = gate();
      const run = runCode(sandbox, actionCode(waiting), { host });
      await asked;
      process.kill(sandbox.stats().workers[0]?.pid as number, 'SIGKILL');
      expect((await run).outcome).toMatchObject({ failure: { kind: 'worker_lost' } });
      expect(sandbox.stats().workersLost).toBe(lost);
    }

    expect(await outputOf(sandbox, 'return 2')).toBe(2);
  });

  it('takes a worker for stuck that says nothing of a run for five minutes', async () => {
    const clock = new FakeClock();
    sandbox = await createSandbox({ clock, limits: PATIENT });
    await sandbox.start();
    const { asked, host } = gate();
    const silent = runCode(sandbox, actionCode(waiting), { host, limits: { timeoutMs: 24 * 3_600_000 } });
    await asked;
    const pid = sandbox.stats().workers[0]?.pid as number;

    process.kill(pid, 'SIGSTOP');
    await clock.advance(4.5 * 60_000);
    expect(sandbox.stats()).toMatchObject({ running: 1, workersLost: 0 });
    await clock.advance(30_000);

    expect((await silent).outcome).toMatchObject({ ok: false, failure: { kind: 'worker_lost' } });
    expect(await outputOf(sandbox, 'return 2')).toBe(2);
    // The timers that check for idle workers, and the pulse of the new one.
    expect(clock.pendingTimers).toBe(2);
  });

  it('gives no new runs to a worker that is silent, starts another, and ends the silent one', async () => {
    await start({ workerSilentMs: 3_000, workerDeadMs: 8_000 });
    const { asked, host } = gate();
    const silent = runCode(sandbox, actionCode(waiting), { host });
    await asked;
    const pid = sandbox.stats().workers[0]?.pid as number;

    process.kill(pid, 'SIGSTOP');
    await waitFor(() => sandbox.stats().workers.some((worker) => worker.isReady && worker.pid !== pid));

    expect(await outputOf(sandbox, 'return 2')).toBe(2);
    expect(sandbox.stats().running).toBe(1);
    expect((await silent).outcome).toMatchObject({
      failure: { kind: 'worker_lost', detail: 'The function worker stopped reporting.' },
    });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('keeps a worker that reports, with and without runs', async () => {
    await start({ workerSilentMs: 2_500, workerDeadMs: 5_000 });
    const { asked, release, host } = gate();
    const run = outputOf(sandbox, waiting, { host });
    await asked;
    const [before] = sandbox.stats().workers;

    await sleep(4_000);
    release();

    expect(await run).toBe(1);
    expect(sandbox.stats().workers).toEqual([{ ...before, running: 0 }]);
  });

  it('leaves a run alone that gives signs of life, however long it takes', async () => {
    const clock = new FakeClock();
    sandbox = await createSandbox({ clock, limits: PATIENT });
    await sandbox.start();
    const host = {
      'environment.variables': async () => {
        await clock.advance(4.5 * 60_000);
        return [];
      },
    };
    const calls = 'for (let n = 0; n < 4; n++) await nango.getEnvironmentVariables(); return 1;';

    expect(await outputOf(sandbox, calls, { host, limits: { timeoutMs: 24 * 3_600_000 } })).toBe(1);
    expect(sandbox.stats().workersLost).toBe(0);
  });

  it('survives an allocation that takes the whole process down', async () => {
    await start();
    const { outcome } = await runCode(sandbox, actionCode('return Array.from({ length: 5e8 }, () => 1).length'));

    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'memory' } });
    expect(await outputOf(sandbox, 'return 3')).toBe(3);
  });

  it('ends an aborted run at once, even in a loop, and aborts its calls', async () => {
    await start();
    const { asked, host } = gate();
    const calling = new AbortController();
    const looping = new AbortController();
    const first = runCode(sandbox, actionCode(waiting), { host, signal: calling.signal });
    const second = runCode(sandbox, actionCode('for (;;) {}'), { signal: looping.signal });
    const signal = await asked;

    calling.abort();
    looping.abort();

    expect((await first).outcome).toMatchObject({ ok: false, failure: { kind: 'aborted' } });
    expect((await second).outcome).toMatchObject({ ok: false, failure: { kind: 'aborted' } });
    expect(signal.aborted).toBe(true);
    await waitFor(() => sandbox.stats().running === 0);
  });

  it('never starts a run that is aborted while it waits', async () => {
    await start({ runsPerWorker: 1 });
    const { asked, release, host } = gate();
    const first = runCode(sandbox, actionCode(waiting), { host });
    await asked;
    const controller = new AbortController();
    const second = runCode(sandbox, actionCode('return 1'), { signal: controller.signal });

    controller.abort();
    const { outcome } = await second;
    release();

    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'aborted' } });
    expect((await first).outcome.ok).toBe(true);
  });

  it('starts waiting runs in the order they came, as many as there are places', async () => {
    await start({ runsPerWorker: 2 });
    const order: number[] = [];
    // The first two go on when both have come, so that neither makes room for the third before.
    const firstTwo = Promise.withResolvers<void>();
    const run = (n: number) =>
      runCode(sandbox, actionCode('await nango.getEnvironmentVariables(); return 1'), {
        host: {
          'environment.variables': async () => {
            if (order.push(n) === 2) firstTwo.resolve();
            await firstTwo.promise;
            return [];
          },
        },
      });

    await Promise.all([1, 2, 3, 4, 5, 6].map(run));

    expect(order.slice(0, 2).sort()).toEqual([1, 2]);
    expect([...order].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(sandbox.stats()).toMatchObject({ queued: 0, running: 0 });
  });

  it('runs a nested run although every place is taken', async () => {
    await start({ runsPerWorker: 1 });
    const host = {
      'action.trigger': async () => ({
        output: JSON.stringify(await outputOf(sandbox, 'return 5', { depth: 1 })),
      }),
    };

    expect(await outputOf(sandbox, 'return nango.triggerAction("child")', { host })).toBe(5);
  });

  it('starts another worker when the first is busy, and gives it the next runs', async () => {
    await start({}, 2);
    const gates = Array.from({ length: 6 }, gate);
    const startRun = ({ host, asked }: ReturnType<typeof gate>) => {
      void runCode(sandbox, actionCode(waiting), { host });
      return asked;
    };
    expect(sandbox.stats().workers).toHaveLength(1);

    await Promise.all(gates.slice(0, 5).map(startRun));
    await waitFor(() => sandbox.stats().workers[1]?.isReady);
    await Promise.all(gates.slice(5).map(startRun));

    expect(sandbox.stats().workers.map((worker) => worker.running)).toEqual([5, 1]);
    for (const { release } of gates) release();
    await waitFor(() => sandbox.stats().running === 0);
  });

  it('ends the workers beyond one when they rest, and starts them again when they are needed', async () => {
    const clock = new FakeClock();
    sandbox = await createSandbox({ clock, workers: 2, limits: PATIENT });
    await sandbox.start();
    for (const _ of [1, 2]) {
      const gates = Array.from({ length: 5 }, gate);
      const runs = gates.map(({ host }) => runCode(sandbox, actionCode(waiting), { host }));
      await Promise.all(gates.map(({ asked }) => asked));
      await waitFor(() => sandbox.stats().workers[1]?.isReady);
      await clock.advance(10_000);
      expect(sandbox.stats().workers.some(({ running }) => running === 5)).toBe(true);
      for (const { release } of gates) release();
      await Promise.all(runs);
      await waitFor(() => sandbox.stats().running === 0);

      await clock.advance(10_000);
      await waitFor(() => sandbox.stats().workers.length === 1);
    }

    expect(await outputOf(sandbox, 'return 4')).toBe(4);
    expect(sandbox.stats().workersLost).toBe(0);
  });

  it('ends the last worker after ten minutes of rest, and starts one with the next run', async () => {
    const clock = new FakeClock();
    sandbox = await createSandbox({ clock, workers: 2, limits: PATIENT });

    expect(await outputOf(sandbox, 'return 1')).toBe(1);
    await clock.advance(10 * 60_000);
    expect(sandbox.stats().workers).toHaveLength(1);
    await clock.advance(10 * 60_000);
    await waitFor(() => sandbox.stats().workers.length === 0);
    expect(clock.pendingTimers).toBe(0);

    expect(await outputOf(sandbox, 'return 2')).toBe(2);
    expect(sandbox.stats().workersLost).toBe(0);
  });

  it('lets large batches of many runs through', async () => {
    await start();
    const code = `module.exports.default = { type: 'sync', exec: async (nango) => {
      for (let batch = 0; batch < 5; batch++) {
        const records = Array.from({ length: 1000 }, (_, i) => ({ id: batch * 1000 + i + 1, text: 'x'.repeat(1000) }));
        await nango.batchSave(records, 'Contact');
      }
    } }`;
    const saved: number[] = [];
    const host = {
      'records.save': ({ records }: { records: unknown[] }) => {
        saved.push(records.length);
        return { added: records.length, updated: 0, deleted: 0, unchanged: 0, duplicates: [] };
      },
    };

    const runs = await Promise.all(
      [1, 2, 3].map(() => runCode(sandbox, code, { host, context: { scriptType: 'sync' } })),
    );

    expect(runs.map((run) => run.outcome.ok)).toEqual([true, true, true]);
    expect(saved).toEqual(Array.from({ length: 15 }, () => 1000));
  });

  it('reports why its workers cannot start', async () => {
    sandbox = await createSandbox({ guestCode: 'throw new Error("broken guest")' });

    await expect(sandbox.start()).rejects.toThrow('broken guest');
  });
});
