import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrorCode } from './error-code.ts';
import { makeFolder } from './make-folder.ts';

/** Writes a file of a project and creates missing folders. */
export async function writeProjectFile(root: string, path: string, text: string): Promise<void> {
  await makeFolder(dirname(join(root, path)));
  await writeFile(join(root, path), text);
}

/** Writes the file only if it does not exist. Resolves to false when it exists. */
export async function writeNewFile(root: string, path: string, text: string): Promise<boolean> {
  await makeFolder(dirname(join(root, path)));
  try {
    await writeFile(join(root, path), text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}
