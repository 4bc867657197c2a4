import { readdir, readFile } from 'node:fs/promises';

/** Resident memory of a process and all its descendants in MB, or undefined where there is no /proc. */
export async function residentMegabytes(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const parents = await parentsOfAll();
  const family = [pid];
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child);
  }
  const kilobytes = await Promise.all(family.map(residentKilobytes));
  return kilobytes.reduce((sum, part) => sum + part, 0) / 1024;
}

async function parentsOfAll(): Promise<Map<number, number>> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const status = await readStatus(Number(name));
    parents.set(Number(name), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]));
  }
  return parents;
}

async function residentKilobytes(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+)/m.exec(await readStatus(pid))?.[1] ?? 0);
}

/** Empty for a process that ended in the meantime. */
async function readStatus(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/status`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
