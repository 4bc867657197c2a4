import type { SandboxTask } from './sandbox-task.ts';

/** A waiting task, and whether its partition has no running task. */
export interface Candidate {
  task: SandboxTask;
  isPartitionIdle: boolean;
}

/**
 * Whether a worker with the tasks `running` has a slot for the task. A run of level 0 was started from outside; a run
 * of level n was started by a run of level n - 1, which waits for it. Each level has slots that the levels above it
 * cannot take, and counts only the runs of its own level and above: so a run never waits for the runs that wait for it.
 * Background runs leave a quarter of the slots to runs with a waiting caller, and busy partitions leave the last slots
 * (two of sixteen) to partitions without a running task.
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
 * Number of background runs of level 0 that get a slot and memory at once: `busy` for one function, `all` for several.
 * Further ones would wait inside the sandbox, where they count as started.
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
 * Whether the memory limits of all `running` leave enough of `totalMemoryMb` for the task. Level 0 takes three quarters
 * at most, so one quarter is always left; each deeper level may take a sixteenth more than the levels above it, so that
 * up to four levels never wait for each other. Levels whose runs begin later also respect the share of deeper levels. A
 * task larger than the total runs alone.
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
  // Deep levels reserve nothing for idle partitions: the sooner they end, the sooner the levels above release their
  // memory.
  const forIdlePartitions = isPartitionIdle || task.depth > 2 ? 0 : totalMemoryMb / 8;
  const kept = (task.isBackground ? (totalMemoryMb * 3) / 16 : 0) + forIdlePartitions;
  let upToLevel = memoryMb;
  let nestedUpToLevel = task.depth === 0 ? 0 : memoryMb;
  for (let level = 0; level < Math.max(byLevel.length, task.depth + 1); level++) {
    const granted = byLevel[level] ?? 0;
    upToLevel += granted;
    if (level > 0) nestedUpToLevel += granted;
    if (level < task.depth) continue;
    const most = maxMemory(level, memoryMb, totalMemoryMb);
    const keptHere = level === task.depth ? kept : 0;
    if (upToLevel > most.upToLevel - keptHere) return false;
    if (task.depth > 0 && nestedUpToLevel > most.nested - keptHere) return false;
  }
  return true;
}

/** Memory that the runs of a level and the levels above it may use together; `nested` excludes level 0. */
function maxMemory(level: number, memoryMb: number, totalMemoryMb: number): { upToLevel: number; nested: number } {
  const [half, threeQuarters] = [totalMemoryMb / 2, (totalMemoryMb / 4) * 3];
  const forLevels = level * Math.max(memoryMb, totalMemoryMb / 16);
  return { upToLevel: threeQuarters + forLevels, nested: Math.min(threeQuarters, half + forLevels) };
}
