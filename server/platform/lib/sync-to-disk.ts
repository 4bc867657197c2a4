import { open } from 'node:fs/promises';

/** Waits until a file, or the list of names in a folder, is written to the disk. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    // Windows cannot open a folder; it writes the names in a folder to the disk by itself.
    if (process.platform === 'win32') return undefined;
    throw error;
  });
  try {
    await handle?.sync();
  } catch (error) {
    // Windows syncs only files that were opened for writing.
    if (process.platform !== 'win32') throw error;
  } finally {
    await handle?.close();
  }
}
