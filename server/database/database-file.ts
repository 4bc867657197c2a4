import { chmod, open as openFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import sqlite3 from 'sqlite3';
import type { ReadHandle, SqlParams, Transaction } from './database.ts';
import { closeHandle, exec, openHandle } from './sqlite-handle.ts';

/** The file is damaged, or no database at all. The message says what is wrong and what to do. */
export class DamagedDatabaseError extends Error {
  override readonly name = 'DamagedDatabaseError';
}

/** There is too little space on the disk for a copy of the database. */
export class BackupDiskFullError extends Error {
  override readonly name = 'DiskFullError';
}

/** The database file's own words for damage; at most this many are shown. */
const MOST_PROBLEMS = 5;

/** True when SQLite says that the file is damaged or no database. */
export function isDamage(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === 'SQLITE_CORRUPT' || error.code === 'SQLITE_NOTADB')
  );
}

/**
 * Reads from a database file that no program has open, and leaves its folder as it was: nothing is made, migrated or
 * checkpointed. Resolves to undefined when the file does not exist.
 */
export async function readDatabaseFile<T>(
  file: string,
  read: (db: DatabaseReader) => Promise<T>,
): Promise<T | undefined> {
  if (!(await exists(file))) return undefined;
  // Only an immutable file is read without its helper files; after an unclean end the newest rows stand in the WAL.
  const option = (await sizeOf(`${file}-wal`)) > 0 ? 'mode=ro' : 'immutable=1';
  return withReader(`${pathToFileURL(file).href}?${option}`, read);
}

async function withReader<T>(uri: string, read: (db: DatabaseReader) => Promise<T>): Promise<T> {
  const db = await openHandle(uri, sqlite3.OPEN_READONLY | sqlite3.OPEN_URI);
  try {
    return await read(reader(db));
  } finally {
    await closeHandle(db);
  }
}

/** Changes a file that nothing else has open, in one transaction; how its journal is kept stays as it is. */
export async function changeDatabaseFile(file: string, work: (tx: Transaction) => Promise<void>): Promise<void> {
  const db = await openHandle(file, sqlite3.OPEN_READWRITE);
  try {
    await exec(db, 'PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; BEGIN IMMEDIATE');
    const run: Transaction['run'] = (sql, params = []) =>
      new Promise((resolve, reject) => {
        db.run(sql, params, function onRun(error) {
          if (error) reject(error);
          else resolve({ changes: this.changes, lastId: this.lastID });
        });
      });
    await work({ ...reader(db), run, afterCommit: () => {} });
    await exec(db, 'COMMIT');
  } finally {
    await closeHandle(db);
  }
}

/** `schema`: can the tables be listed? `quick` reads every page; `full` also compares indexes and foreign keys. */
/** Where a restore copies to before it replaces the database; one that was killed leaves it behind. */
export const restoringFile = (file: string): string => `${file}.restoring`;

export type CheckDepth = 'schema' | 'quick' | 'full';

export interface DatabaseReader extends ReadHandle {
  /** What SQLite finds wrong with the file, at most five sentences; empty when it is sound. */
  findDamage(depth: CheckDepth): Promise<string[]>;
}

/** What is wrong with a file that no program has open; empty when it is sound or does not exist. */
export function findDamage(file: string, depth: CheckDepth): Promise<string[]> {
  return damageAsText(async () => (await readDatabaseFile(file, (db) => db.findDamage(depth))) ?? []);
}

/** The same of a database that this program or another one is using. */
export function findDamageWhileOpen(file: string, depth: CheckDepth): Promise<string[]> {
  return damageAsText(() => withReader(pathToFileURL(file).href, (db) => db.findDamage(depth)));
}

async function damageAsText(find: () => Promise<string[]>): Promise<string[]> {
  try {
    return await find();
  } catch (error) {
    if (isDamage(error) && error instanceof Error) return [error.message];
    throw error;
  }
}

/**
 * Writes a copy of the last committed state to `target`, which appears once it is complete and was read back. Writers
 * are not held up: SQLite reads from one snapshot on a thread of its own. (Its other way, page by page, starts again at
 * every write of another handle and never ended beside a writer: 40 s for 200 MB, against 0.7 s.) Throws
 * DamagedDatabaseError when the source, and so the copy, is damaged; BackupDiskFullError; and errors of the file system
 * that name the target.
 */
export async function copyDatabase(file: string, target: string): Promise<void> {
  const part = `${target}.part`;
  await rm(part, { force: true });
  // SQLite would only say that it cannot open it.
  await writeFile(part, '', { mode: 0o600 });
  try {
    const db = await openHandle(file, sqlite3.OPEN_READONLY);
    try {
      await exec(db, 'PRAGMA busy_timeout=5000');
      const [mode] = await all<{ auto_vacuum: number }>(db, 'PRAGMA auto_vacuum');
      // The copy gives free pages back step by step, also that of a file of an earlier version.
      if (mode?.auto_vacuum === 0) await exec(db, 'PRAGMA auto_vacuum=INCREMENTAL');
      await all(db, 'VACUUM INTO ?', [part]);
    } finally {
      await closeHandle(db);
    }
    const problems = await findDamage(part, 'quick');
    if (problems.length > 0) throw new DamagedDatabaseError(`The copy is damaged: ${problems.join(' ')}`);
    await chmod(part, 0o600);
    await sync(part);
    await rename(part, target);
    await sync(dirname(target));
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL')
      throw new BackupDiskFullError(
        `The disk is full: the copy ${target} was not made. Free some space there, then try again.`,
        { cause: error },
      );
    if (!isDamage(error)) throw error;
    throw new DamagedDatabaseError(`The database is damaged: ${(error as Error).message}`, { cause: error });
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await openFile(path, 'r').catch((error: unknown) => {
    // Windows opens no folders; its names are on the disk by themselves.
    if (process.platform === 'win32') return undefined;
    throw error;
  });
  try {
    await handle?.sync();
  } catch (error) {
    // Windows syncs only what was opened for writing.
    if (process.platform !== 'win32') throw error;
  } finally {
    await handle?.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return (await sizeIfThere(path)) !== undefined;
}

/** Bytes; 0 when there is no such file. */
export async function sizeOf(path: string): Promise<number> {
  return (await sizeIfThere(path)) ?? 0;
}

async function sizeIfThere(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function reader(db: sqlite3.Database): DatabaseReader {
  return {
    all: (sql, params) => all(db, sql, params),
    get: async <Row>(sql: string, params?: SqlParams) => (await all<Row>(db, sql, params))[0],
    findDamage: async (depth) => {
      if (depth === 'schema') {
        await all(db, 'SELECT count(*) FROM sqlite_schema');
        return [];
      }
      const check = depth === 'quick' ? 'quick_check' : 'integrity_check';
      const rows = await all<Record<string, string>>(db, `PRAGMA ${check}(${MOST_PROBLEMS})`);
      const problems = rows.flatMap((row) => Object.values(row)).filter((text) => text !== 'ok');
      if (depth === 'quick' || problems.length > 0) return problems;
      const orphans = await all<{ table: string }>(db, 'PRAGMA foreign_key_check');
      return [...new Set(orphans.map(({ table }) => `Rows of ${table} refer to rows that do not exist.`))];
    },
  };
}

function all<Row>(db: sqlite3.Database, sql: string, params: SqlParams = []): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    db.all<Row>(sql, params, (error, rows) => (error ? reject(error) : resolve(rows)));
  });
}
