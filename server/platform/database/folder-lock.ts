import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import { hasErrorCode } from '../lib/error-code.ts';
import { StartError } from '../lib/start-error.ts';
import { closeHandle, exec, openHandle } from './sqlite-handle.ts';

/** Another Homeport uses this data folder; two processes would run the same jobs twice. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/**
 * Reserves a data folder for one process. It is a lock of the operating system, taken on a small SQLite file, so it
 * also ends when the process is killed.
 */
export class FolderLock {
  readonly #db: sqlite3.Database;

  private constructor(db: sqlite3.Database) {
    this.#db = db;
  }

  static async take(folder: string): Promise<FolderLock> {
    const db = await openHandle(join(folder, 'homeport.lock'), sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE);
    try {
      await exec(db, 'PRAGMA busy_timeout=0; BEGIN EXCLUSIVE');
      return new FolderLock(db);
    } catch (error) {
      await closeHandle(db);
      if (hasErrorCode(error, 'SQLITE_FULL'))
        throw new StartError(
          `The disk with the data folder ${folder} is full. Free some space there, then try again. Nothing was changed.`,
          { cause: error },
        );
      if (!hasErrorCode(error, 'SQLITE_BUSY')) throw error;
      throw new FolderInUseError(
        `Homeport is already running with the data folder ${folder}. Stop it, or set HOMEPORT_HOME to another folder.`,
      );
    }
  }

  async release(): Promise<void> {
    await exec(this.#db, 'ROLLBACK');
    await closeHandle(this.#db);
  }
}
