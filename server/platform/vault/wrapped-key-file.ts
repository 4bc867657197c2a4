import { changeDatabaseFile, isDamage, readDatabaseFile } from '../database/database-file.ts';
import { VaultStore } from './vault.store.ts';

/** As the vault uses it. */
interface StoredKey<Source extends string> {
  wrappedKey: string;
  source: Source;
  account?: string;
}

/** The wrapped data key inside a database file that no program has open, such as a backup. */
export class WrappedKeyFile<Source extends string> {
  readonly #file: string;
  readonly #now: () => number;
  readonly #rows = new VaultStore();

  constructor(file: string, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  /** Undefined when the file contains no key, does not exist or is damaged. */
  async load(): Promise<StoredKey<Source> | undefined> {
    try {
      return await readDatabaseFile(this.#file, (db) => this.#rows.findWrappedKey<Source>(db));
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  }

  save(key: StoredKey<Source>): Promise<void> {
    return changeDatabaseFile(this.#file, (tx) => this.#rows.upsertWrappedKey(tx, key, this.#now()));
  }
}
