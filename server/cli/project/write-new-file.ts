import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes a file of a project, folders included. */
export async function writeProjectFile(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

/** As above, but only where there is none; false when there is. */
export async function writeNewFile(root: string, path: string, text: string): Promise<boolean> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  try {
    await writeFile(join(root, path), text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
