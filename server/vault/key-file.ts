import { readFile, writeFile } from 'node:fs/promises';

/** The fallback where no keychain exists: the master key as base64 in a file that only its owner can read. */
export async function readKeyFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function writeKeyFile(path: string, value: string): Promise<void> {
  // "wx": a key that is already there is never overwritten, it may be the only one that opens the data.
  await writeFile(path, `${value}\n`, { mode: 0o600, flag: 'wx' });
}
