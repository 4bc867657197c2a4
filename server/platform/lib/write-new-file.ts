import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrorCode } from './error-code.ts';

/** Writes a file of a project and creates missing folders. */
export async function writeProjectFile(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

/** Writes the file only if it does not exist. Resolves to false when it exists. */
export async function writeNewFile(root: string, path: string, text: string): Promise<boolean> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  try {
    await writeFile(join(root, path), text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}
