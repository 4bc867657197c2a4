import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';

/**
 * The fallback where no keychain exists: the master key as base64 in a file that only its owner can read. While the
 * key is replaced the file holds both, one on a line. Resolves to the texts, none when there is no file.
 */
export async function readKeyFile(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n').flatMap((line) => line.trim() || []);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

export async function writeKeyFile(path: string, value: string): Promise<void> {
  // "wx": a key that is already there is never overwritten, it may be the only one that opens the data.
  await writeFile(path, `${value}\n`, { mode: 0o600, flag: 'wx' });
}

/** Replaces what the file holds, at once: a kill leaves the old keys or the new ones. No values remove the file. */
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
