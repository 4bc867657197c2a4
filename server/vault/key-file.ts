import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';

/**
 * Reads the key file, which is used where no keychain exists: the master key as base64 in a file that only its owner
 * can read. While the key is being replaced, the file contains both keys, one per line. Resolves to the keys as text;
 * empty when there is no file.
 */
export async function readKeyFile(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n').flatMap((line) => line.trim() || []);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Creates the key file. The key is on the disk before anything is encrypted with it. Throws when the file exists. */
export async function writeKeyFile(path: string, value: string): Promise<void> {
  // "wx" never overwrites an existing key: it may be the only one that opens the data.
  await writeFile(path, `${value}\n`, { mode: 0o600, flag: 'wx', flush: true });
}

/**
 * Replaces the keys in the file in one step: after a kill the file contains either the old keys or the new ones. An
 * empty list removes the file.
 */
export async function replaceKeyFile(path: string, values: readonly string[]): Promise<void> {
  if (values.length === 0) return rm(path, { force: true });
  const next = `${path}.next`;
  await rm(next, { force: true });
  const handle = await open(next, 'wx', 0o600);
  try {
    await handle.writeFile(values.map((value) => `${value}\n`).join(''));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, path);
}
