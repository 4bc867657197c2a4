import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrorCode } from '../platform/lib/error-code.ts';

/** The mark of the last run, in a file of its own. */
export function createMarkFile(path: string) {
  return {
    async read(): Promise<string | undefined> {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if (hasErrorCode(error, 'ENOENT')) return undefined;
        throw error;
      }
    },
    /** Resolves when it is on the disk. */
    async write(mark: string): Promise<void> {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const handle = await open(path, 'w', 0o600);
      try {
        await handle.writeFile(mark);
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}
