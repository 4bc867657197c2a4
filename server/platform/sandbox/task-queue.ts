import type { Candidate } from './run-capacity.ts';
import type { SandboxTask } from './sandbox-task.ts';

/** Waiting tasks of one partition, in the order of arrival. */
type Partition = Set<SandboxTask>;

/**
 * Tasks that wait for a slot. Partitions without a running task go first: a function that calls itself without end
 * would otherwise block all others. Then the deepest tasks, because running ones wait for them. Among equals, the
 * partition with the fewest running tasks is next, then the integration with the fewest, so that many calls of one do
 * not delay the others; then first come, first served.
 */
export class TaskQueue {
  readonly #byDepth: Array<Map<string, Partition>> = [];
  readonly #runningByPartition = new Map<string, number>();
  readonly #runningByIntegration = new Map<string, number>();

  get size(): number {
    return this.#partitions().reduce((sum, partition) => sum + partition.size, 0);
  }

  add(task: SandboxTask): void {
    const partitions = this.#byDepth[task.depth] ?? new Map<string, Partition>();
    this.#byDepth[task.depth] = partitions;
    const partition = partitions.get(task.partition);
    if (partition) partition.add(task);
    else partitions.set(task.partition, new Set([task]));
  }

  /** Removes and returns the next task in turn that fits. It counts as running in its partition until it ends. */
  take(hasCapacity: (candidate: Candidate) => boolean): SandboxTask | undefined {
    const heads = this.#byDepth.toReversed().flatMap((partitions) => this.#heads(partitions));
    const isPartitionIdle = ({ partition }: SandboxTask): boolean => !this.#runningByPartition.has(partition);
    const next =
      heads.find((task) => isPartitionIdle(task) && hasCapacity({ task, isPartitionIdle: true })) ??
      heads.find((task) => !isPartitionIdle(task) && hasCapacity({ task, isPartitionIdle: false }));
    if (!next) return undefined;
    this.remove(next);
    this.#count(next);
    return next;
  }

  /** Returns whether the task was still waiting. */
  remove(task: SandboxTask): boolean {
    const partitions = this.#byDepth[task.depth];
    const partition = partitions?.get(task.partition);
    if (!partition?.delete(task)) return false;
    if (partition.size === 0) partitions?.delete(task.partition);
    return true;
  }

  drain(): SandboxTask[] {
    const tasks = this.#partitions().flatMap((partition) => [...partition]);
    this.#byDepth.length = 0;
    return tasks;
  }

  #partitions(): Partition[] {
    return this.#byDepth.flatMap((partitions) => [...(partitions?.values() ?? [])]);
  }

  /** The first task of each partition, in the order of their turns. */
  #heads(partitions: Map<string, Partition> | undefined): SandboxTask[] {
    const heads = [...(partitions?.values() ?? [])].flatMap(([first]) => first ?? []);
    const inPartition = ({ partition }: SandboxTask): number => this.#runningByPartition.get(partition) ?? 0;
    const inIntegration = (task: SandboxTask): number => this.#runningByIntegration.get(task.integration) ?? 0;
    return heads.sort((a, b) => inPartition(a) - inPartition(b) || inIntegration(a) - inIntegration(b) || a.id - b.id);
  }

  #count({ partition, integration, outcome }: SandboxTask): void {
    add(this.#runningByPartition, partition, 1);
    add(this.#runningByIntegration, integration, 1);
    void outcome.then(() => {
      add(this.#runningByPartition, partition, -1);
      add(this.#runningByIntegration, integration, -1);
    });
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
