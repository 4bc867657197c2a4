import type { SandboxTask } from './sandbox-task.ts';

/** The deepest tasks first, because running ones wait for them; first come, first served among equals. */
export class TaskQueue {
  readonly #byDepth: Array<Set<SandboxTask>> = [];

  get size(): number {
    return this.#byDepth.reduce((sum, tasks) => sum + (tasks?.size ?? 0), 0);
  }

  get first(): SandboxTask | undefined {
    const [task] = this.#byDepth.findLast((tasks) => tasks?.size) ?? [];
    return task;
  }

  add(task: SandboxTask): void {
    this.#byDepth[task.depth] ??= new Set();
    this.#byDepth[task.depth]?.add(task);
  }

  remove(task: SandboxTask): void {
    this.#byDepth[task.depth]?.delete(task);
  }

  drain(): SandboxTask[] {
    const tasks = this.#byDepth.flatMap((level) => [...(level ?? [])]);
    this.#byDepth.length = 0;
    return tasks;
  }
}
