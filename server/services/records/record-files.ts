import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids } from '../../lib/ids.ts';
import { type ExportedRecord, RecordFileStore } from '../../stores/record-file-store.ts';

/** Records on their way out, as a SQLite file. They stand in it in clear, so it is removed as soon as it was sent. */
export class RecordFiles {
  readonly #folder: string;
  readonly #ids: Ids;
  #cleared: Promise<void> | undefined;

  constructor({ folder, ids }: { folder: string; ids: Ids }) {
    this.#folder = folder;
    this.#ids = ids;
  }

  /**
   * Writes pages of records, of which there is at least an empty one, into a table of that name. Undefined when the
   * caller is gone meanwhile, as `isGone` says; else the caller removes the file.
   */
  async write(
    table: string,
    pages: AsyncIterable<readonly ExportedRecord[]>,
    isGone: () => boolean,
  ): Promise<{ path: string; remove: () => Promise<void> } | undefined> {
    // What a crash left behind.
    this.#cleared ??= rm(this.#folder, { recursive: true, force: true });
    await this.#cleared;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, `${this.#ids.uuid()}.sqlite`);
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
  }
}
