import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrorCode } from './error-code.ts';

/**
 * Makes a folder that a person named, with its parents. Node's own `mkdir` with parents gives another reason where a disk
 * refuses a folder, or never ends (`/proc`).
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(folder, mode);
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT') || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder), mode);
    await makeOne(folder, mode);
  }
}

/** What a system says of a folder that is there differs, so that is looked up. */
async function makeOne(folder: string, mode: number): Promise<void> {
  try {
    await mkdir(folder, mode);
  } catch (error) {
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory()) throw error;
  }
}
