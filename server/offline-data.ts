import { chmod, copyFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { type KeyReset, resetKey } from './data/key-reset.ts';
import { makeDataFolder } from './data-folder.ts';
import { createApiKeys } from './environments/api-keys.ts';
import { BackupFolder } from './platform/database/backup-folder.ts';
import { findRescued } from './platform/database/data-files.ts';
import {
  changeDatabaseFile,
  copyDatabase,
  DamagedDatabaseError,
  findDamage,
  readDatabaseFile,
  restoringFile,
  sizeOf,
} from './platform/database/database-file.ts';
import { FolderLock } from './platform/database/folder-lock.ts';
import { findSchemaProblem, type SchemaMismatch } from './platform/database/migrate.ts';
import { openDatabase } from './platform/database/open-database.ts';
import type { Clock } from './platform/lib/clock.ts';
import type { Ids } from './platform/lib/ids.ts';
import { silentLogger } from './platform/lib/logger.ts';
import { syncToDisk } from './platform/lib/sync-to-disk.ts';
import { type KeyChange, type ReplacedMasterKey, replaceMasterKey } from './platform/vault/key-rotation.ts';
import { openOsKeychain } from './platform/vault/keychain.ts';
import {
  findMasterKey,
  type KeySource,
  MasterKeyError,
  type MasterKeyOptions,
  unlockDataKey,
} from './platform/vault/master-key.ts';
import { Vault } from './platform/vault/vault.ts';
import { WrappedKeyFile } from './platform/vault/wrapped-key-file.ts';
import { MIGRATIONS } from './schema/migration-list.ts';

/** What a database file contains, before it is changed. */
export interface ExaminedDataFile {
  /** Problems of the file; empty when it is undamaged. */
  problems: string[];
  isHomeport: boolean;
  /** Why this program cannot use its tables. */
  schemaProblem: SchemaMismatch | undefined;
  /** Where the key is that opens the file; undefined when no available key opens it. */
  keySource: KeySource | undefined;
  /** Why no key opens it. */
  keyProblem: string | undefined;
}

/** The data folder while no hub uses it, for commands of its user. */
export class OfflineData {
  readonly backups: BackupFolder;
  readonly file: string;
  readonly #keys: MasterKeyOptions;
  readonly #clock: Clock;
  readonly #lock: FolderLock;

  private constructor(config: Config, clock: Clock, lock: FolderLock) {
    this.file = join(config.home, 'homeport.db');
    this.backups = new BackupFolder({ home: config.home, clock });
    this.#keys = keySourcesOf(config);
    this.#clock = clock;
    this.#lock = lock;
  }

  /** Throws FolderInUseError while a hub uses the folder. */
  static async open(config: Config, clock: Clock): Promise<OfflineData> {
    await makeDataFolder(config.home);
    return new OfflineData(config, clock, await FolderLock.take(config.home));
  }

  close(): Promise<void> {
    return this.#lock.release();
  }

  async exists(): Promise<boolean> {
    return (await sizeOf(this.file)) > 0;
  }

  examine(file = this.file): Promise<ExaminedDataFile> {
    return checkFile(file, file === this.file ? this.#keys : { ...this.#keys, subject: 'this backup' });
  }

  /**
   * Replaces the database by a copy of `backup`. The current database is first stored as a backup, or renamed when it
   * is damaged; resolves to its new path, or undefined when there was no database.
   */
  async restore(backup: string): Promise<string | undefined> {
    const next = restoringFile(this.file);
    try {
      await rm(next, { force: true });
      await copyFile(backup, next);
      await chmod(next, 0o600);
      await syncToDisk(next);
      const kept = (await this.exists()) ? await this.#keepPresent() : undefined;
      // Before the new file is there: SQLite must not apply the write-ahead log of the old file to it.
      for (const part of ['-wal', '-shm']) await rm(`${this.file}${part}`, { force: true });
      await rename(next, this.file);
      await syncToDisk(join(this.file, '..'));
      // What the last run saved is in its place now; the hub does not start beside such a file.
      const rescued = await findRescued(dirname(this.file));
      if (rescued !== undefined && resolve(backup) === join(dirname(this.file), rescued)) await rm(backup);
      return kept;
    } finally {
      // An unused copy takes as much space as the database.
      await rm(next, { force: true });
    }
  }

  /** Moves the write-ahead log of an unclean end into the file: without it the file alone would be an older state. */
  #emptyLog(): Promise<void> {
    return changeDatabaseFile(this.file, async () => {});
  }

  async #keepPresent(): Promise<string> {
    try {
      const { name } = await this.backups.write('before-restore');
      await this.#emptyLog();
      return join(this.backups.path, name);
    } catch (error) {
      if (!(error instanceof DamagedDatabaseError)) throw error;
    }
    const aside = `${this.file}.damaged-${this.#clock.now()}`;
    if ((await sizeOf(`${this.file}-wal`)) > 0) await rename(`${this.file}-wal`, `${aside}-wal`);
    await rename(this.file, aside);
    return aside;
  }

  /** Replaces or moves the master key of the database and its backups. */
  async changeKey(change: KeyChange): Promise<ReplacedMasterKey> {
    await this.#emptyLog();
    const keyOf = (file: string): WrappedKeyFile<KeySource> => new WrappedKeyFile(file, () => this.#clock.now());
    const copies = (await this.backups.list()).map(({ name }) => keyOf(join(this.backups.path, name)));
    return replaceMasterKey({ ...this.#keys, store: keyOf(this.file), copies }, change);
  }

  /** Finds a key that opens the database but is hidden by HOMEPORT_MASTER_KEY; undefined when there is none. */
  async findHiddenKey(): Promise<KeySource | undefined> {
    const { override, ...others } = this.#keys;
    return override === undefined ? undefined : (await checkFile(this.file, others)).keySource;
  }

  /**
   * Removes everything that is sealed with a lost master key and creates a new key, after a backup. Throws
   * MasterKeyError, with nothing changed, when the keychain is locked.
   */
  async resetKey(ids: Ids): Promise<KeyReset & { backup: string; keySource: KeySource }> {
    const { name } = await this.backups.write('before-key-reset');
    const { database } = await openDatabase({
      home: dirname(this.file),
      backups: this.backups,
      migrations: MIGRATIONS,
      clock: this.#clock,
      logger: silentLogger,
    });
    try {
      // As for a new data folder: the given or stored key, else a new one.
      const unlocked = await unlockDataKey(this.#keys, undefined);
      const { toStore: wrappedKey } = unlocked;
      if (!wrappedKey) throw new Error('A new data key has to be stored.');
      const options = { database, clock: this.#clock, ids };
      const apiKeys = createApiKeys({ ...options, vault: new Vault(unlocked) });
      const reset = await resetKey({ ...options, wrappedKey, apiKeys });
      return { ...reset, backup: join(this.backups.path, name), keySource: unlocked.source };
    } finally {
      await database.close();
    }
  }
}

/** Writes a copy of the database; a hub may be running. Throws DamagedDatabaseError. */
export function copyDataTo(config: Config, target: string): Promise<void> {
  return copyDatabase(join(config.home, 'homeport.db'), target);
}

/** Checks a database file that no hub uses, such as a backup; writes nothing. */
export async function checkFile(file: string, keys: MasterKeyOptions): Promise<ExaminedDataFile> {
  const nothing = { isHomeport: false, schemaProblem: undefined, keySource: undefined, keyProblem: undefined };
  const problems = await findDamage(file, 'full');
  if (problems.length > 0) return { ...nothing, problems };
  const schema = await readDatabaseFile(file, (db) => findSchemaProblem(db, MIGRATIONS));
  if (schema === undefined) return { ...nothing, problems };
  const known = { problems, isHomeport: schema.isHomeport, schemaProblem: schema.problem };
  const stored = await new WrappedKeyFile<KeySource>(file, () => 0).load();
  if (!stored) return { ...known, keySource: undefined, keyProblem: 'It contains no key.' };
  try {
    return { ...known, keySource: (await findMasterKey(keys, stored)).found.source, keyProblem: undefined };
  } catch (error) {
    if (!(error instanceof MasterKeyError)) throw error;
    return { ...known, keySource: undefined, keyProblem: error.message };
  }
}

/** The possible sources of a data folder's master key. */
export function keySourcesOf({ home, masterKey }: Pick<Config, 'home' | 'masterKey'>): MasterKeyOptions {
  return {
    keychain: openOsKeychain(),
    keyFile: join(home, 'master.key'),
    ...(masterKey === undefined ? {} : { override: masterKey }),
  };
}
