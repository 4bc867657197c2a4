import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { StartError } from '../lib/start-error.ts';
import type { BackupFolder } from './backup-folder.ts';
import { findRescued } from './data-files.ts';
import { Database, type ReadHandle } from './database.ts';
import {
  BackupDiskFullError,
  DamagedDatabaseError,
  damageText,
  isDamage,
  readDatabaseFile,
  restoringFile,
  sizeOf,
} from './database-file.ts';
import { findSchemaProblem, migrate, type SchemaMismatch, UnusableSchemaError } from './migrate.ts';
import type { Migration } from './migration.ts';

export interface OpenDatabaseOptions {
  home: string;
  backups: BackupFolder;
  migrations: readonly Migration[];
  clock: Clock;
  logger: Logger;
}

export interface OpenedDatabase {
  database: Database;
  /** Why no backup was made before the schema changed; undefined when one was made or none was needed. */
  backupProblem: string | undefined;
}

/** Files up to this size are checked before they are opened: about 0.06 s, read from a warm disk. */
const CHECKED_AT_START_BYTES = 64 * 1_048_576;

/**
 * Checks the database of a data folder, reads from it and writes nothing: can it be read, is its schema known, and after an
 * unclean end, is it undamaged? `isUnchecked` means that the file is too large to check before it is used; `value` is
 * undefined when there is no file. Throws DamagedDatabaseError and UnusableSchemaError.
 */
export async function examineDatabase<T>(
  { home, backups, migrations }: Pick<OpenDatabaseOptions, 'home' | 'backups' | 'migrations'>,
  read: (db: ReadHandle) => Promise<T>,
): Promise<{ isUnchecked: boolean; value: T | undefined }> {
  const file = join(home, 'homeport.db');
  // A clean end leaves no write-ahead log.
  const hasEndedUncleanly = (await sizeOf(`${file}-wal`)) > 0;
  const isSmall = (await sizeOf(file)) <= CHECKED_AT_START_BYTES;
  try {
    const value = await readDatabaseFile(file, async (db) => {
      const problems = await db.findDamage(hasEndedUncleanly && isSmall ? 'quick' : 'schema');
      if (problems.length > 0) throw await explainDamage({ home, backups, problems });
      requireKnownSchema(await findSchemaProblem(db, migrations));
      return read(db);
    });
    return { isUnchecked: hasEndedUncleanly && !isSmall, value };
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw await explainDamage({ home, backups, problems: [damageText(error)], cause: error });
  }
}

/**
 * Whether a database was there and is gone: a sentence for people, or undefined. Throws StartError when the last run saved
 * what it still held in a new file, because the database beside it is missing or older.
 */
export async function findLostDatabase(home: string, backups: BackupFolder): Promise<string | undefined> {
  const file = join(home, 'homeport.db');
  const rescued = await findRescued(home);
  if (rescued !== undefined)
    throw new StartError(
      `Files of the data folder were removed while Homeport ran the last time. What it held was saved in ${join(home, rescued)}. ` +
        `Restore it with:\n  homeport restore ${quoted(join(home, rescued))}\nTo start without it, move that file away.`,
    );
  if ((await sizeOf(file)) > 0) return undefined;
  const [newest] = await backups.list();
  const hasEndedUncleanly = (await sizeOf(join(home, 'server.json'))) > 0 || (await sizeOf(`${file}-wal`)) > 0;
  if (!newest && !hasEndedUncleanly) return undefined;
  return (
    `The data folder ${home} had a database, which is gone: this hub starts empty. ` +
    (newest
      ? `The newest backup is of ${new Date(newest.createdAt).toISOString()}. Stop Homeport and restore it with: ` +
        `homeport restore ${quoted(join(backups.path, newest.name))}`
      : 'There is no backup.')
  );
}

function requireKnownSchema({ problem }: { problem: SchemaMismatch | undefined }): void {
  if (problem) throw new UnusableSchemaError(problem);
}

/**
 * Opens the database and brings its schema up to date, after a backup. Throws DamagedDatabaseError, and
 * UnusableSchemaError, before anything is written unless the file `isExamined` already.
 */
export async function openDatabase(options: OpenDatabaseOptions & { isExamined?: boolean }): Promise<OpenedDatabase> {
  const { home, backups, migrations, clock, logger } = options;
  const file = join(home, 'homeport.db');
  let database: Database | undefined;
  let backupProblem: string | undefined;
  const backUp = async (isBreaking: boolean): Promise<void> => {
    try {
      await backups.write('before-update');
    } catch (error) {
      if (isBreaking || !(error instanceof BackupDiskFullError)) throw error;
      backupProblem = `No backup was made before the update of the data. ${error.message}`;
      logger.error({ err: error }, 'no backup was made before the schema of the database changed');
    }
  };
  try {
    await rm(restoringFile(file), { force: true });
    if (!options.isExamined)
      await readDatabaseFile(file, async (db) => requireKnownSchema(await findSchemaProblem(db, migrations)));
    database = await Database.open({ file, logger });
    await migrate({ database, migrations, clock, logger, backUp });
    return { database, backupProblem };
  } catch (error) {
    await database?.close();
    if (!(error instanceof DamagedDatabaseError) && !isDamage(error)) throw error;
    throw await explainDamage({ home, backups, problems: [damageText(error)], cause: error });
  }
}

/** A message that says what is wrong, which backup is the newest, and which command restores it. */
export async function explainDamage({
  home,
  backups,
  problems,
  cause,
}: {
  home: string;
  backups: BackupFolder;
  problems: readonly string[];
  cause?: unknown;
}): Promise<DamagedDatabaseError> {
  const [newest] = await backups.list();
  const wayOut = newest
    ? `The newest backup is of ${new Date(newest.createdAt).toISOString()}. Restore it with:\n` +
      `  homeport restore ${quoted(join(backups.path, newest.name))}`
    : 'There is no backup. Move the file away to start with an empty hub.';
  return new DamagedDatabaseError(
    `The database ${join(home, 'homeport.db')} is damaged: ${problems.join(' ')} Nothing was changed. ${wayOut}`,
    cause === undefined ? undefined : { cause },
  );
}

/** The path as a shell reads it. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `"${path}"`;
}
