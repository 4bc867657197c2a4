import type { SandboxTask } from './sandbox-task.ts';

/** First come, first served; nested tasks go before all others, because a running one waits for each of them. */
export class TaskQueue {
  readonly #nested = new Set<SandboxTask>();
  readonly #others = new Set<SandboxTask>();

  get size(): number {
    return this.#nested.size + this.#others.size;
  }

  get first(): SandboxTask | undefined {
    const [nested] = this.#nested;
    if (nested) return nested;
    const [other] = this.#others;
    return other;
  }

  add(task: SandboxTask): void {
    (task.isNested ? this.#nested : this.#others).add(task);
  }

  remove(task: SandboxTask): void {
    this.#nested.delete(task);
    this.#others.delete(task);
  }

  drain(): SandboxTask[] {
    const tasks = [...this.#nested, ...this.#others];
    this.#nested.clear();
    this.#others.clear();
    return tasks;
  }
}
