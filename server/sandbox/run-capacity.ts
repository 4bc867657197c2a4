import type { SandboxTask } from './sandbox-task.ts';

/** A waiting task, and whether nothing of its partition runs. */
export interface Candidate {
  task: SandboxTask;
  isPartitionIdle: boolean;
}

/**
 * Whether a worker with `running` has a slot for the task. Runs of one level have slots that the levels above cannot
 * take, whenever those begin, and count only the runs of their own level and above: neither parents nor their children
 * keep the other waiting. Background runs leave a quarter to runs with a waiting caller, and busy partitions leave the
 * last slots (two of sixteen) to partitions that have nothing running.
 */
export function hasSlot(
  { task, isPartitionIdle }: Candidate,
  running: Iterable<SandboxTask>,
  runsPerWorker: number,
): boolean {
  const quarter = Math.ceil(runsPerWorker / 4);
  const keptForIdlePartitions = Math.floor(runsPerWorker / 8);
  const slots =
    runsPerWorker +
    task.depth * quarter -
    (task.isBackground ? quarter : 0) -
    (isPartitionIdle ? 0 : keptForIdlePartitions);
  let upToLevel = 0;
  let ofLevel = 0;
  for (const { depth } of running) {
    if (depth <= task.depth) upToLevel++;
    if (depth === task.depth) ofLevel++;
  }
  return upToLevel < Math.max(1, slots) || (task.depth > 0 && ofLevel < quarter);
}

/**
 * Background runs of level 0 that get a slot and memory at once: `busy` of one function, `all` of several. Further ones
 * would wait inside the sandbox, where they count as begun.
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
 * Whether the memory limits of all `running` leave enough for the task's own in `totalMemoryMb`. Level 0 takes three
 * quarters at most and always keeps one quarter; each level below may take a sixteenth more than the levels above it,
 * so that up to four levels never wait for each other. What the levels below may take is left to them also by a level
 * whose runs begin later. A task larger than the total runs alone.
 */
export function hasMemory(
  { task, isPartitionIdle }: Candidate,
  running: Iterable<SandboxTask>,
  totalMemoryMb: number,
): boolean {
  const { memoryMb } = task.limits;
  const byLevel: number[] = [];
  for (const { depth, limits } of running) byLevel[depth] = (byLevel[depth] ?? 0) + limits.memoryMb;
  const all = byLevel.reduce((sum, granted) => sum + granted, memoryMb);
  if (all === memoryMb) return true;
  if (all > totalMemoryMb) return false;
  // Deep levels keep nothing for idle partitions: the sooner they end, the sooner those above them give back theirs.
  const forIdlePartitions = isPartitionIdle || task.depth > 2 ? 0 : totalMemoryMb / 8;
  const kept = (task.isBackground ? (totalMemoryMb * 3) / 16 : 0) + forIdlePartitions;
  let upToLevel = memoryMb;
  let nestedUpToLevel = task.depth === 0 ? 0 : memoryMb;
  for (let level = 0; level < Math.max(byLevel.length, task.depth + 1); level++) {
    const granted = byLevel[level] ?? 0;
    upToLevel += granted;
    if (level > 0) nestedUpToLevel += granted;
    if (level < task.depth) continue;
    const most = mostMemory(level, memoryMb, totalMemoryMb);
    const keptHere = level === task.depth ? kept : 0;
    if (upToLevel > most.upToLevel - keptHere) return false;
    if (task.depth > 0 && nestedUpToLevel > most.nested - keptHere) return false;
  }
  return true;
}

/** What the runs of a level and those above it may have together; `nested`: without level 0. */
function mostMemory(level: number, memoryMb: number, totalMemoryMb: number): { upToLevel: number; nested: number } {
  const [half, threeQuarters] = [totalMemoryMb / 2, (totalMemoryMb / 4) * 3];
  const forLevels = level * Math.max(memoryMb, totalMemoryMb / 16);
  return { upToLevel: threeQuarters + forLevels, nested: Math.min(threeQuarters, half + forLevels) };
}
