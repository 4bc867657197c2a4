import type { SandboxTask } from './sandbox-task.ts';

/** Waiting tasks of one lane; the first was there first. */
type Lane = Set<SandboxTask>;

/**
 * Tasks that wait for a place. The deepest go first, because running ones wait for them. Among equals the lane with the
 * fewest running tasks has the turn, so that no flood of one lane keeps the others waiting; then first come, first served.
 */
export class TaskQueue {
  readonly #byDepth: Array<Map<string, Lane>> = [];
  readonly #running = new Map<string, number>();

  get size(): number {
    return this.#lanes().reduce((sum, lane) => sum + lane.size, 0);
  }

  add(task: SandboxTask): void {
    const lanes = this.#byDepth[task.depth] ?? new Map<string, Lane>();
    this.#byDepth[task.depth] = lanes;
    const lane = lanes.get(task.lane);
    if (lane) lane.add(task);
    else lanes.set(task.lane, new Set([task]));
  }

  /** Takes the task out whose turn it is among those with a place; until it ends it counts as running in its lane. */
  take(hasPlace: (task: SandboxTask) => boolean): SandboxTask | undefined {
    for (const lanes of this.#byDepth.toReversed()) {
      const next = this.#heads(lanes).find(hasPlace);
      if (!next) continue;
      this.remove(next);
      this.#count(next);
      return next;
    }
    return undefined;
  }

  /** Whether the task was still waiting. */
  remove(task: SandboxTask): boolean {
    const lanes = this.#byDepth[task.depth];
    const lane = lanes?.get(task.lane);
    if (!lane?.delete(task)) return false;
    if (lane.size === 0) lanes?.delete(task.lane);
    return true;
  }

  drain(): SandboxTask[] {
    const tasks = this.#lanes().flatMap((lane) => [...lane]);
    this.#byDepth.length = 0;
    return tasks;
  }

  #lanes(): Lane[] {
    return this.#byDepth.flatMap((lanes) => [...(lanes?.values() ?? [])]);
  }

  /** The first task of each lane, in the order of their turns. */
  #heads(lanes: Map<string, Lane> | undefined): SandboxTask[] {
    const heads = [...(lanes?.values() ?? [])].flatMap(([first]) => first ?? []);
    const running = ({ lane }: SandboxTask): number => this.#running.get(lane) ?? 0;
    return heads.sort((a, b) => running(a) - running(b) || a.id - b.id);
  }

  #count({ lane, outcome }: SandboxTask): void {
    this.#running.set(lane, (this.#running.get(lane) ?? 0) + 1);
    void outcome.then(() => {
      const left = (this.#running.get(lane) ?? 0) - 1;
      if (left > 0) this.#running.set(lane, left);
      else this.#running.delete(lane);
    });
  }
}
