import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { familyOf, readProcessFacts } from '../soak/process-facts.ts';
import { waitFor } from '../support/wait-for.ts';

export const AFTER_WORK_GOAL_MB = 200;

/** Proportional set size of a process and all its descendants in MB, after a time without work. Linux only. */
export async function memoryOf({ pid }: { pid: number }, idleMs: number): Promise<number> {
  await sleep(idleMs);
  return (await readProcessFacts(pid)).familyMegabytes;
}

/** Waits until no process checks types any more: that is work too, at a low priority. Linux only. */
export async function typesChecked({ pid }: { pid: number }): Promise<void> {
  const isOver = async (): Promise<boolean> => {
    const commands = (await familyOf(pid)).map((one) => readIfExists(`/proc/${one}/cmdline`));
    return !(await Promise.all(commands)).some((command) => command.includes('type-check'));
  };
  await waitFor(isOver, { limitMs: 300_000, what: 'the type checks' });
}

/** Resident memory of a process and all its descendants in MB, or undefined where there is no /proc. */
export async function residentMegabytes(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const kilobytes = await Promise.all((await familyOf(pid)).map(residentKilobytes));
  return kilobytes.reduce((sum, part) => sum + part, 0) / 1024;
}

async function residentKilobytes(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+)/m.exec(await readIfExists(`/proc/${pid}/status`))?.[1] ?? 0);
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
