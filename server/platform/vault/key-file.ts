import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readIfExists } from '../lib/read-if-exists.ts';
import { syncToDisk } from '../lib/sync-to-disk.ts';

/**
 * Reads the key file, which is used where no keychain exists: the master key as base64 in a file that only its owner
 * can read. While the key is being replaced, the file contains both keys, one per line. Resolves to the keys as text;
 * empty when there is no file.
 */
export async function readKeyFile(path: string): Promise<string[]> {
  const text = (await readIfExists(path)) ?? '';
  return text.split('\n').flatMap((line) => line.trim() || []);
}

/**
 * Creates the key file. The key is on the disk before anything is encrypted with it. Throws when the file has a key.
 * Only the process with the lock of the data folder may call it.
 */
export async function writeKeyFile(path: string, value: string): Promise<void> {
  // An existing key is never overwritten: it may be the only one that opens the data. An empty file has none.
  if ((await readKeyFile(path)).length > 0) throw new Error('The key file already contains a key.');
  await replaceKeyFile(path, [value]);
}

/**
 * Replaces the keys in the file in one step: after a kill the file contains either the old keys or the new ones. An
 * empty list removes the file.
 */
export async function replaceKeyFile(path: string, values: readonly string[]): Promise<void> {
  if (values.length === 0) return rm(path, { force: true });
  const next = `${path}.next`;
  await rm(next, { force: true });
  const text = values.map((value) => `${value}\n`).join('');
  await writeFile(next, text, { mode: 0o600, flag: 'wx', flush: true });
  await rename(next, path);
  await syncToDisk(dirname(path));
}
