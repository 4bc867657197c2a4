import { readdir, readFile } from 'node:fs/promises';

/** Resource use of the processes of a server at one moment. */
export interface ProcessFacts {
  /** Proportional set size of the server and all its descendants, in MB. */
  familyMegabytes: number;
  /** Of the server process alone, in MB. */
  serverMegabytes: number;
  /** Number of processes. */
  processes: number;
  /** Open file descriptors of the server process: sockets, pipes and files. */
  descriptors: number;
}

/** Reads /proc, so it works on Linux only. Throws when the server has ended. */
export async function readProcessFacts(pid: number): Promise<ProcessFacts> {
  const family = await familyOf(pid);
  const sizes = await Promise.all(family.map(proportionalMegabytes));
  return {
    familyMegabytes: sizes.reduce((sum, size) => sum + size, 0),
    serverMegabytes: sizes[0] ?? 0,
    processes: family.length,
    descriptors: (await readdir(`/proc/${pid}/fd`)).length,
  };
}

/** The process itself first, then its descendants. */
export async function familyOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const status = await readIfExists(`/proc/${name}/status`);
    parents.set(Number(name), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]));
  }
  const family = [pid];
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

/** The command lines of those that still run. */
export async function namesOf(pids: readonly number[]): Promise<string[]> {
  const lines = await Promise.all(pids.map((pid) => readIfExists(`/proc/${pid}/cmdline`)));
  return lines.filter((line) => line !== '').map((line) => line.replaceAll('\0', ' ').trim());
}

async function proportionalMegabytes(pid: number): Promise<number> {
  const rollup = await readIfExists(`/proc/${pid}/smaps_rollup`);
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
}

/** Empty for a process that has ended meanwhile. */
async function readIfExists(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
