import { describe, expect, it } from 'vitest';
import { hasMemory } from './run-capacity.ts';
import { SandboxTask } from './sandbox-task.ts';
import { TaskQueue } from './task-queue.ts';

const RUN_MB = 256;
const TOTAL_MB = 2048;
const HOST = { call: () => Promise.reject(new Error('unused')), log: () => {} };

let tasks = 0;
function task(functionName: string, depth = 0): SandboxTask {
  const limits = { timeoutMs: 1, memoryMb: RUN_MB, outputBytes: 1, messageBytes: 1 };
  const context = { scriptType: 'action', environmentId: 1, providerConfigKey: 'acme' } as never;
  const bundle = { hash: '', code: '', fileName: '' };
  return new SandboxTask(++tasks, HOST, { bundle, limits, context, functionName, depth });
}

/** Takes tasks that have memory beside `running`, until no task fits. */
function takeAll(queue: TaskQueue, running: Set<SandboxTask>): SandboxTask[] {
  const taken: SandboxTask[] = [];
  for (;;) {
    const next = queue.take((candidate) => hasMemory(candidate, running, TOTAL_MB));
    if (!next) return taken;
    running.add(next);
    taken.push(next);
  }
}

describe('TaskQueue', () => {
  it('takes the deepest of busy partitions first', () => {
    const queue = new TaskQueue();
    const running = new Set<SandboxTask>();
    for (const depth of [0, 1, 0, 1]) queue.add(task('parent', depth));

    expect(takeAll(queue, running).map(({ depth }) => depth)).toEqual([1, 0, 1, 0]);
  });

  it('takes a function without running calls before more calls of one that calls itself without end', async () => {
    const queue = new TaskQueue();
    // A task that has ended, and whose isolate still exists, still uses the rest of the memory.
    const running = new Set([task('ended')]);
    queue.add(task('fork'));
    for (let n = 0; n < 40; n++) queue.add(task('fork', 1 + (n % 4)));
    const forks = takeAll(queue, running);
    expect(running.size * RUN_MB).toBe(TOTAL_MB);
    queue.add(task('quick'));
    expect(takeAll(queue, running)).toEqual([]);

    const ended = forks.find(({ depth }) => depth === 4) as SandboxTask;
    ended.end({ ok: true, output: '', cpuMs: 0, memoryBytes: 0 });
    await ended.outcome;
    running.delete(ended);

    expect(takeAll(queue, running).map(({ label }) => label)).toEqual([expect.stringContaining('quick')]);
  });
});
