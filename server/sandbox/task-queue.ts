import type { Candidate } from './run-capacity.ts';
import type { SandboxTask } from './sandbox-task.ts';

/** Waiting tasks of one lane; the first was there first. */
type Lane = Set<SandboxTask>;

/**
 * Tasks that wait for a slot. The deepest go first, because running ones wait for them. Among equals the lane with the
 * fewest running tasks has the turn, then the integration with the fewest, so that no flood of one keeps the others
 * waiting; then first come, first served.
 */
export class TaskQueue {
  readonly #byDepth: Array<Map<string, Lane>> = [];
  readonly #runningByLane = new Map<string, number>();
  readonly #runningByIntegration = new Map<string, number>();

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

  /** Takes the task out whose turn it is among those with room; until it ends it counts as running in its lane. */
  take(hasRoom: (candidate: Candidate) => boolean): SandboxTask | undefined {
    for (const lanes of this.#byDepth.toReversed()) {
      const next = this.#heads(lanes).find((task) =>
        hasRoom({ task, isLaneIdle: !this.#runningByLane.has(task.lane) }),
      );
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
    const inLane = ({ lane }: SandboxTask): number => this.#runningByLane.get(lane) ?? 0;
    const inIntegration = (task: SandboxTask): number => this.#runningByIntegration.get(task.integration) ?? 0;
    return heads.sort((a, b) => inLane(a) - inLane(b) || inIntegration(a) - inIntegration(b) || a.id - b.id);
  }

  #count({ lane, integration, outcome }: SandboxTask): void {
    add(this.#runningByLane, lane, 1);
    add(this.#runningByIntegration, integration, 1);
    void outcome.then(() => {
      add(this.#runningByLane, lane, -1);
      add(this.#runningByIntegration, integration, -1);
    });
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
