import { join } from 'node:path';
import sqlite3 from 'sqlite3';

/** Another Homeport works on this data folder; two would run the same jobs twice. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/**
 * Keeps a data folder to one process. The lock is the operating system's, taken through a small SQLite file: it
 * ends with the process, however that ends.
 */
export class FolderLock {
  readonly #db: sqlite3.Database;

  private constructor(db: sqlite3.Database) {
    this.#db = db;
  }

  static async take(folder: string): Promise<FolderLock> {
    const db = await new Promise<sqlite3.Database>((resolve, reject) => {
      const opened = new sqlite3.Database(join(folder, 'homeport.lock'), (error) =>
        error ? reject(error) : resolve(opened),
      );
    });
    try {
      await exec(db, 'PRAGMA busy_timeout=0; BEGIN EXCLUSIVE');
      return new FolderLock(db);
    } catch (error) {
      await close(db);
      if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error;
      throw new FolderInUseError(
        `Homeport is already running with the data folder ${folder}. Stop it, or set HOMEPORT_HOME to another folder.`,
      );
    }
  }

  async release(): Promise<void> {
    await exec(this.#db, 'ROLLBACK');
    await close(this.#db);
  }
}

function exec(db: sqlite3.Database, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    db.exec(sql, (error) => (error ? reject(error) : resolve()));
  });
}

function close(db: sqlite3.Database): Promise<void> {
  return new Promise((resolve, reject) => {
    db.close((error) => (error ? reject(error) : resolve()));
  });
}
