import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { makeFolder } from '../platform/lib/make-folder.ts';
import { syncToDisk } from '../platform/lib/sync-to-disk.ts';

/** Writes a file beside the old one, and puts it in its place when it is complete and on the disk. Resolves to its size. */
export async function replaceFile(folder: string, file: string, pieces: AsyncIterable<Buffer>): Promise<number> {
  const target = join(folder, file);
  const draft = `${target}.part`;
  try {
    await makeFolder(dirname(target));
    // What a kill left is overwritten.
    const handle = await open(draft, 'w', 0o600);
    try {
      for await (const piece of pieces) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, target);
    await syncToDisk(dirname(target));
    return (await stat(target)).size;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {
      // The reason is the first error; the next run overwrites the draft.
    });
    throw fileProblem(error);
  }
}

/** Whether the file is there as it was written. */
export async function isInPlace(folder: string, { bytes, file }: { bytes: number; file: string }): Promise<boolean> {
  // A file that cannot be read is written anew, which says why it cannot.
  return (await stat(join(folder, file)).catch(() => undefined))?.size === bytes;
}

/** Removes a file of a model that is gone. */
export async function removeFile(folder: string, file: string): Promise<void> {
  await rm(join(folder, file), { force: true }).catch((error: unknown) => {
    throw fileProblem(error);
  });
}

const REASONS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EACCES: 'the hub may not write there',
  EPERM: 'the hub may not write there',
  EROFS: 'it can only be read',
  ENOENT: 'it is not there and cannot be made',
  ENOTDIR: 'a part of its path is a file',
  EBUSY: 'another program has a file of it open',
};

function fileProblem(error: unknown): unknown {
  const code = Object.keys(REASONS).find((one) => hasErrorCode(error, one));
  if (code === undefined) return error;
  return new HomeportError('conflict', `The folder of the snapshots cannot be written: ${REASONS[code]}.`, {
    cause: error,
  });
}
