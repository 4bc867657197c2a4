import { describe, expect, it } from 'vitest';
import { backgroundRuns, hasMemory, hasSlot } from './run-capacity.ts';
import { SandboxTask } from './sandbox-task.ts';

const RUN_MB = 256;
const TOTAL_MB = 4096;
const HOST = { call: () => Promise.reject(new Error('unused')), log: () => {} };

function task(depth = 0, scriptType: 'sync' | 'action' = 'action'): SandboxTask {
  const limits = { timeoutMs: 1, memoryMb: RUN_MB, outputBytes: 1, messageBytes: 1 };
  const context = { scriptType, environmentId: 1, providerConfigKey: 'acme' } as never;
  return new SandboxTask(1, HOST, { bundle: { hash: '', code: '', fileName: '' }, limits, context, depth });
}

/** Starts candidates while there is capacity beside `running`; returns how many were started. */
function fill(
  hasCapacity: (candidate: SandboxTask, running: SandboxTask[], isPartitionIdle: boolean) => boolean,
  running: SandboxTask[],
  make: () => SandboxTask,
  isPartitionIdle = false,
): number {
  const before = running.length;
  while (running.length < 200 && hasCapacity(make(), running, isPartitionIdle)) running.push(make());
  return running.length - before;
}
const slots = (candidate: SandboxTask, running: SandboxTask[], isPartitionIdle: boolean): boolean =>
  hasSlot({ task: candidate, isPartitionIdle }, running, 16);
const memory = (candidate: SandboxTask, running: SandboxTask[], isPartitionIdle: boolean): boolean =>
  hasMemory({ task: candidate, isPartitionIdle }, running, TOTAL_MB);

describe('hasSlot', () => {
  it('keeps two of sixteen slots for partitions that have nothing running', () => {
    const running: SandboxTask[] = [];

    expect(fill(slots, running, task)).toBe(14);
    expect(fill(slots, running, task, true)).toBe(2);
  });

  it('keeps a quarter for runs that somebody waits for', () => {
    const running: SandboxTask[] = [];

    expect(fill(slots, running, () => task(0, 'sync'))).toBe(10);
    expect(fill(slots, running, task)).toBe(4);
  });

  it('counts runs of the own level and above only', () => {
    const running: SandboxTask[] = [task()];
    for (let depth = 1; depth <= 8; depth++) fill(slots, running, () => task(depth), true);

    expect(running).toHaveLength(48);
    expect(fill(slots, running, task)).toBe(13);
  });

  it('leaves every level slots that the levels above cannot take', () => {
    const running: SandboxTask[] = [];
    for (let depth = 0; depth <= 8; depth++) expect(fill(slots, running, () => task(depth), true)).toBeGreaterThan(3);
  });

  it('leaves every level slots also when the levels above it took theirs later', () => {
    const running: SandboxTask[] = [];
    for (const depth of [2, 1, 0]) fill(slots, running, () => task(depth));

    expect(fill(slots, running, () => task(3))).toBeGreaterThan(3);
  });

  it('leaves one slot where one is all there is', () => {
    expect(hasSlot({ task: task(0, 'sync'), isPartitionIdle: false }, [], 1)).toBe(true);
  });
});

describe('hasMemory', () => {
  it('never grants more than the total, whatever runs', () => {
    const orders = [
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
      [8, 7, 6, 5, 4, 3, 2, 1, 0],
      [3, 0, 8, 1],
    ];
    for (const depths of orders) {
      const running: SandboxTask[] = [];
      for (const depth of depths) fill(memory, running, () => task(depth), true);

      expect(running.length * RUN_MB).toBeLessThanOrEqual(TOTAL_MB);
    }
  });

  it('grants level 0 twelve runs of sixteen: nine to background runs, two of them only to idle partitions', () => {
    const running: SandboxTask[] = [];

    expect(fill(memory, running, () => task(0, 'sync'))).toBe(7);
    expect(fill(memory, running, () => task(0, 'sync'), true)).toBe(2);
    expect(fill(memory, running, task)).toBe(1);
    expect(fill(memory, running, task, true)).toBe(2);
  });

  it('lets four levels of calls go on when level 0 is full', () => {
    const running: SandboxTask[] = [];
    fill(memory, running, task, true);

    for (const depth of [1, 2, 3, 4]) expect(fill(memory, running, () => task(depth), true)).toBe(1);
    expect(fill(memory, running, () => task(5), true)).toBe(0);
  });

  it('lets four levels run, in any order of their memory', () => {
    const orders = [
      [2, 1, 0],
      [3, 2, 1, 0],
      [1, 3, 0, 2, 1],
    ];
    for (const depths of orders) {
      const running: SandboxTask[] = [];
      for (const depth of depths) fill(memory, running, () => task(depth), true);

      const deepest = Math.max(...depths);
      for (let depth = deepest + 1; depth <= 4; depth++)
        expect(
          fill(memory, running, () => task(depth), true),
          `${depth} after ${depths}`,
        ).toBeGreaterThan(0);
    }
  });

  it('leaves level 0 a quarter, however many nested runs there are', () => {
    const running: SandboxTask[] = [task()];
    for (let depth = 1; depth <= 8; depth++) fill(memory, running, () => task(depth), true);

    expect(running).toHaveLength(13);
    expect(fill(memory, running, task, true)).toBe(3);
  });

  it('grants a run that is larger than the total when it is alone', () => {
    expect(hasMemory({ task: task(), isPartitionIdle: false }, [], 100)).toBe(true);
    expect(hasMemory({ task: task(), isPartitionIdle: true }, [task()], 100)).toBe(false);
  });
});

describe('background runs at once', () => {
  it('are as many as get memory, and never wait inside', () => {
    const { all, busy } = backgroundRuns({ runsPerWorker: 16, memoryMb: RUN_MB, totalMemoryMb: TOTAL_MB });
    const ofOnePartition = fill(memory, [], () => task(0, 'sync'));

    expect([busy, all]).toEqual([ofOnePartition, ofOnePartition + 2]);
    expect(backgroundRuns({ runsPerWorker: 16, memoryMb: RUN_MB, totalMemoryMb: 100 })).toEqual({ busy: 1, all: 1 });
    expect(backgroundRuns({ runsPerWorker: 16, memoryMb: RUN_MB, totalMemoryMb: 65_536 })).toEqual({
      busy: 16,
      all: 16,
    });
  });
});
