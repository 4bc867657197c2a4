import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { StartError } from '../lib/start-error.ts';
import type { BackupFolder } from './backup-folder.ts';
import { findRescued } from './data-files.ts';
import { Database } from './database.ts';
import {
  BackupDiskFullError,
  DamagedDatabaseError,
  damageText,
  findDamage,
  isDamage,
  readDatabaseFile,
  restoringFile,
  sizeOf,
} from './database-file.ts';
import { findSchemaProblem, migrate, UnusableSchemaError } from './migrate.ts';
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
 * Checks the database of a data folder and writes nothing: can it be read, and after an unclean end, is it undamaged?
 * `isUnchecked` means that the file is too large to check before it is used. Throws DamagedDatabaseError.
 */
export async function checkDatabase(folder: {
  home: string;
  backups: BackupFolder;
}): Promise<{ isUnchecked: boolean }> {
  const file = join(folder.home, 'homeport.db');
  // A clean end leaves no write-ahead log.
  const hasEndedUncleanly = (await sizeOf(`${file}-wal`)) > 0;
  const isSmall = (await sizeOf(file)) <= CHECKED_AT_START_BYTES;
  const problems = await findDamage(file, hasEndedUncleanly && isSmall ? 'quick' : 'schema');
  if (problems.length > 0) throw await explainDamage({ ...folder, problems });
  return { isUnchecked: hasEndedUncleanly && !isSmall };
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

/**
 * Opens the database and brings its schema up to date, after a backup. Throws DamagedDatabaseError, and
 * UnusableSchemaError before anything is written.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenedDatabase> {
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
    const schema = await readDatabaseFile(file, (db) => findSchemaProblem(db, migrations));
    if (schema?.problem) throw new UnusableSchemaError(schema.problem);
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
