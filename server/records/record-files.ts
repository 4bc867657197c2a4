import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids } from '../platform/lib/ids.ts';
import { loadOnce } from '../platform/lib/load-once.ts';
import { type ExportedRecord, RecordFileStore } from './record-file.store.ts';

export type RecordFiles = ReturnType<typeof createRecordFiles>;

/** Exports records as SQLite files. They are not encrypted, so a file must be removed after it was sent. */
export function createRecordFiles({ folder, ids }: { folder: string; ids: Ids }) {
  /** Removes files that a crash left. */
  const clear = loadOnce(() => rm(folder, { recursive: true, force: true }));

  return {
    /**
     * Writes pages of records into a table of that name; there must be at least one page, which may be empty. Resolves to
     * undefined when `isGone` returns true because the client has disconnected; else the caller must remove the file.
     */
    async write(
      table: string,
      pages: AsyncIterable<readonly ExportedRecord[]>,
      isGone: () => boolean,
    ): Promise<{ path: string; remove: () => Promise<void> } | undefined> {
      await clear();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${ids.uuid()}.sqlite`);
      const remove = (): Promise<void> => rm(path, { force: true });
      let file: RecordFileStore | undefined;
      try {
        await writeFile(path, '', { mode: 0o600 });
        for await (const records of pages) {
          file ??= await RecordFileStore.create(path, { table, examples: records });
          await file.insert(records);
          if (isGone()) break;
        }
        await file?.close();
      } catch (error) {
        await file?.close();
        await remove();
        throw error;
      }
      if (!isGone()) return { path, remove };
      await remove();
      return undefined;
    },
  };
}
