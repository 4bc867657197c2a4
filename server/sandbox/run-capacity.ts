import type { SandboxTask } from './sandbox-task.ts';

/** A waiting task, and whether nothing of its lane runs. */
export interface Candidate {
  task: SandboxTask;
  isLaneIdle: boolean;
}

/**
 * Whether a worker with `running` has a slot for the task. Runs of one level have slots that the levels above cannot
 * take, and count only the runs of their own level and above: neither parents nor their children keep the other
 * waiting. Background runs leave a quarter to runs that somebody waits for, and busy lanes leave the last slots (two
 * of sixteen) to lanes that have nothing running.
 */
export function hasSlot(
  { task, isLaneIdle }: Candidate,
  running: Iterable<SandboxTask>,
  runsPerWorker: number,
): boolean {
  const quarter = Math.ceil(runsPerWorker / 4);
  const keptForIdleLanes = Math.floor(runsPerWorker / 8);
  const slots =
    runsPerWorker + task.depth * quarter - (task.isBackground ? quarter : 0) - (isLaneIdle ? 0 : keptForIdleLanes);
  let taken = 0;
  for (const { depth } of running) if (depth <= task.depth) taken++;
  return taken < Math.max(1, slots);
}

/**
 * Background runs of level 0 that get a slot and memory at once: `busy` of one function, `all` of several. Whoever
 * starts more lets them wait inside the sandbox, where they count as begun.
 */
export function backgroundRuns(limits: { runsPerWorker: number; memoryMb: number; totalMemoryMb: number }): {
  busy: number;
  all: number;
} {
  const { runsPerWorker, memoryMb, totalMemoryMb } = limits;
  const fitting = (share: number): number => Math.max(1, Math.floor((totalMemoryMb * share) / memoryMb));
  const all = Math.min(runsPerWorker, fitting(9 / 16));
  return { busy: Math.min(all, fitting(7 / 16)), all };
}

/**
 * Whether the memory limits of all `running` leave room for the task's own in `totalMemoryMb`. Level 0 takes three
 * quarters at most and always keeps one quarter; each level below may take a sixteenth more than the levels above it,
 * so that up to four levels never wait for each other. A task larger than the total runs alone.
 */
export function hasMemory(
  { task, isLaneIdle }: Candidate,
  running: Iterable<SandboxTask>,
  totalMemoryMb: number,
): boolean {
  const { memoryMb } = task.limits;
  const { depth, isBackground } = task;
  let [all, upToLevel, nestedUpToLevel] = [memoryMb, memoryMb, memoryMb];
  for (const other of running) {
    const granted = other.limits.memoryMb;
    all += granted;
    if (other.depth <= depth) upToLevel += granted;
    if (other.depth > 0 && other.depth <= depth) nestedUpToLevel += granted;
  }
  if (all === memoryMb) return true;
  if (all > totalMemoryMb) return false;
  const [half, threeQuarters] = [totalMemoryMb / 2, (totalMemoryMb / 4) * 3];
  const forLevels = depth * Math.max(memoryMb, totalMemoryMb / 16);
  // Deep levels keep nothing for idle lanes: the sooner they end, the sooner those above them give back theirs.
  const forIdleLanes = isLaneIdle || depth > 2 ? 0 : totalMemoryMb / 8;
  const kept = (isBackground ? threeQuarters / 4 : 0) + forIdleLanes;
  if (upToLevel > threeQuarters + forLevels - kept) return false;
  return depth === 0 || nestedUpToLevel <= Math.min(threeQuarters, half + forLevels) - kept;
}
