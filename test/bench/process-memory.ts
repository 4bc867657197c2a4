import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { familyOf, readProcessFacts } from '../soak/process-facts.ts';

export const AFTER_WORK_GOAL_MB = 200;

/** Proportional set size of a process and all its descendants in MB, after a time without work. Linux only. */
export async function memoryOf({ pid }: { pid: number }, idleMs: number): Promise<number> {
  await sleep(idleMs);
  return (await readProcessFacts(pid)).familyMegabytes;
}

/** Resident memory of a process and all its descendants in MB, or undefined where there is no /proc. */
export async function residentMegabytes(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const kilobytes = await Promise.all((await familyOf(pid)).map(residentKilobytes));
  return kilobytes.reduce((sum, part) => sum + part, 0) / 1024;
}

async function residentKilobytes(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+)/m.exec(await readStatus(pid))?.[1] ?? 0);
}

/** Empty for a process that has ended meanwhile. */
async function readStatus(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/status`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
