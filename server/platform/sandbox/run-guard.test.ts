import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { RunGuard } from './run-guard.ts';
import { SandboxTask } from './sandbox-task.ts';

const MINUTE = 60_000;

let clock: FakeClock;
let guard: RunGuard;
let killed: number;
const worker = { kill: () => void killed++ };

beforeEach(() => {
  clock = new FakeClock();
  guard = new RunGuard({ clock, silenceMs: 5 * MINUTE });
  killed = 0;
});

function watched(timeoutMs: number): SandboxTask {
  const task = new SandboxTask(
    1,
    { call: () => Promise.reject(new Error('no host')), log: () => {} },
    {
      bundle: { hash: 'h', code: '', fileName: 'probe-acme.cjs' },
      limits: { timeoutMs, memoryMb: 64, outputBytes: 1, messageBytes: 1 },
    },
  );
  guard.watch(task, worker);
  return task;
}

async function signFor(task: SandboxTask, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await clock.advance(MINUTE);
    guard.heartbeat(task);
  }
}

describe('the guard of runs', () => {
  it('gives up a run after five silent minutes, and its worker', async () => {
    const task = watched(60 * MINUTE);
    await clock.advance(4 * MINUTE);
    expect([task.hasEnded, killed]).toEqual([false, 0]);

    await clock.advance(1.5 * MINUTE);

    expect(await task.outcome).toMatchObject({ failure: { kind: 'worker_lost' } });
    expect(killed).toBe(1);
  });

  it('leaves a run alone that gives signs, until its time is over', async () => {
    const task = watched(60 * MINUTE);
    await signFor(task, 60);
    expect(task.hasEnded).toBe(false);

    await signFor(task, 1);

    expect(await task.outcome).toMatchObject({ failure: { kind: 'timeout' } });
    expect(killed).toBe(1);
  });

  it('does not hold it against a run that the computer slept', async () => {
    const sleepy = new FakeClock();
    guard = new RunGuard({ clock: { ...timersOf(sleepy), now: () => sleepy.now() + slept }, silenceMs: 5 * MINUTE });
    let slept = 0;
    const task = watched(60 * MINUTE);
    await sleepy.advance(MINUTE);

    slept = 8 * 60 * MINUTE;
    await sleepy.advance(MINUTE);

    expect([task.hasEnded, killed]).toEqual([false, 0]);
  });

  it('keeps no timer once nothing runs', async () => {
    const task = watched(60 * MINUTE);
    task.end({ ok: true, output: 'null', cpuMs: 0, memoryBytes: 0 });
    await task.outcome;

    await clock.advance(0);

    expect(clock.pendingTimers).toBe(0);
  });
});

/** Timers stop while a computer sleeps; its clock does not. */
function timersOf(clock: FakeClock): Pick<FakeClock, 'after' | 'sleep'> {
  return {
    after: (delayMs, callback) => clock.after(delayMs, callback),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
}
