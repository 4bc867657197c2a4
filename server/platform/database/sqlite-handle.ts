import sqlite3 from 'sqlite3';

export type SqliteHandle = sqlite3.Database;

/** Opens an existing file only; a missing file is an error. */
export const OPEN_READ_WRITE = sqlite3.OPEN_READWRITE;

/**
 * Opens a handle of the file in a mode of SQLite (`OPEN_…`). Rejects with SQLite's own error, as do the functions
 * below.
 */
export function openHandle(file: string, mode: number): Promise<sqlite3.Database> {
  return new Promise((resolve, reject) => {
    const db = new sqlite3.Database(file, mode, (error) => (error ? reject(error) : resolve(db)));
  });
}

/** Runs statements without a result. */
export function exec(db: sqlite3.Database, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    db.exec(sql, (error) => (error ? reject(error) : resolve()));
  });
}

/** Runs one statement with its parameters. */
export function runStatement(db: sqlite3.Database, sql: string, params: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    db.run(sql, params, (error) => (error ? reject(error) : resolve()));
  });
}

export function closeHandle(db: sqlite3.Database): Promise<void> {
  return new Promise((resolve, reject) => {
    db.close((error) => (error ? reject(error) : resolve()));
  });
}
