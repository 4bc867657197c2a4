import { chmod, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import sqlite3 from 'sqlite3';
import { hasErrorCode } from '../lib/error-code.ts';
import { syncToDisk } from '../lib/sync-to-disk.ts';
import type { ReadHandle, SqlParams, Transaction } from './database.ts';
import { closeHandle, exec, openHandle } from './sqlite-handle.ts';

/** The file is damaged, or is not a database. The message says what is wrong and what to do. */
export class DamagedDatabaseError extends Error {
  override readonly name = 'DamagedDatabaseError';
}

/** There is too little space on the disk for a copy of the database. */
export class BackupDiskFullError extends Error {
  override readonly name = 'DiskFullError';
}

/** Problems shown at most; each is a sentence of SQLite. */
const MAX_PROBLEMS = 5;

/** True when SQLite reports that the file is damaged or is not a database. */
export function isDamage(error: unknown): boolean {
  return hasErrorCode(error, 'SQLITE_CORRUPT', 'SQLITE_NOTADB');
}

/** SQLite's sentence without the code before it: "file is not a database". */
export function damageText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/^SQLITE_\w+: /, '');
}

/**
 * Reads from a database file that no program has open, and leaves its folder unchanged: no file is created, migrated or
 * checkpointed. Resolves to undefined when the file does not exist.
 */
export async function readDatabaseFile<T>(
  file: string,
  read: (db: DatabaseReader) => Promise<T>,
): Promise<T | undefined> {
  if (!(await exists(file))) return undefined;
  // SQLite reads only an immutable file without creating its helper files. After an unclean end the newest rows are in
  // the WAL, so the file must not be opened as immutable then.
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

/** Changes a file that no program has open, in one transaction. The journal mode of the file stays as it is. */
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
    await work({ ...reader(db), run, exec: (sql) => exec(db, sql), afterCommit: () => {} });
    await exec(db, 'COMMIT');
  } finally {
    await closeHandle(db);
  }
}

/** Where a restore copies to before it replaces the database; a killed restore leaves this file behind. */
export const restoringFile = (file: string): string => `${file}.restoring`;

/** `schema` lists the tables only; `quick` reads every page; `full` also compares indexes and foreign keys. */
export type CheckDepth = 'schema' | 'quick' | 'full';

export interface DatabaseReader extends ReadHandle {
  /** Problems that SQLite finds in the file, at most five sentences; empty when it is undamaged. */
  findDamage(depth: CheckDepth): Promise<string[]>;
}

/** Problems of a file that no program has open; empty when it is undamaged or does not exist. */
export function findDamage(file: string, depth: CheckDepth): Promise<string[]> {
  return damageAsText(async () => (await readDatabaseFile(file, (db) => db.findDamage(depth))) ?? []);
}

/** As `findDamage`, for a database that this program or another one has open. */
export function findDamageWhileOpen(file: string, depth: CheckDepth): Promise<string[]> {
  return damageAsText(() => withReader(pathToFileURL(file).href, (db) => db.findDamage(depth)));
}

async function damageAsText(find: () => Promise<string[]>): Promise<string[]> {
  try {
    return await find();
  } catch (error) {
    if (isDamage(error)) return [damageText(error)];
    throw error;
  }
}

/**
 * Writes a copy of the last committed state to `target`. The file appears at `target` only when it is complete and was
 * read back. Writers are not delayed: SQLite reads from one snapshot on its own thread. (SQLite's backup API, which
 * copies page by page, starts again at every write of another handle: beside a writer it never ended: 40 s for 200 MB,
 * against 0.7 s.) Throws DamagedDatabaseError when the source is damaged, BackupDiskFullError, and errors of the file
 * system that name the target.
 */
export async function copyDatabase(file: string, target: string): Promise<void> {
  const part = `${target}.part`;
  await rm(part, { force: true });
  // Created first for an error that names the cause: SQLite would only say that it cannot open the file.
  await writeFile(part, '', { mode: 0o600 });
  try {
    const db = await openHandle(file, sqlite3.OPEN_READONLY);
    try {
      await exec(db, 'PRAGMA busy_timeout=5000');
      const [mode] = await all<{ auto_vacuum: number }>(db, 'PRAGMA auto_vacuum');
      // The copy returns free pages to the disk step by step, also when the source was made by an earlier version.
      if (mode?.auto_vacuum === 0) await exec(db, 'PRAGMA auto_vacuum=INCREMENTAL');
      await all(db, 'VACUUM INTO ?', [part]);
    } finally {
      await closeHandle(db);
    }
    const problems = await findDamage(part, 'quick');
    if (problems.length > 0) throw new DamagedDatabaseError(`The copy is damaged: ${problems.join(' ')}`);
    await chmod(part, 0o600);
    await syncToDisk(part);
    await rename(part, target);
    await syncToDisk(dirname(target));
  } catch (error) {
    await rm(part, { force: true });
    if (hasErrorCode(error, 'SQLITE_FULL'))
      throw new BackupDiskFullError(
        `The disk is full: the copy ${target} was not made. Free some space there, then try again.`,
        { cause: error },
      );
    if (!isDamage(error)) throw error;
    throw new DamagedDatabaseError(`The database is damaged: ${damageText(error)}`, { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await sizeIfThere(path)) !== undefined;
}

/** Size in bytes; 0 when the file does not exist. */
export async function sizeOf(path: string): Promise<number> {
  return (await sizeIfThere(path)) ?? 0;
}

async function sizeIfThere(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
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
      const rows = await all<Record<string, string>>(db, `PRAGMA ${check}(${MAX_PROBLEMS})`);
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
