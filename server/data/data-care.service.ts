import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConnectionsStore } from '../connections/connections.store.ts';
import type { EnvironmentService } from '../environments/environment.service.ts';
import { CHANGES_KEPT_MS, IntegrationChangesStore } from '../integrations/integration-changes.store.ts';
import { IntegrationsStore } from '../integrations/integrations.store.ts';
import type { Backup, BackupFolder } from '../platform/database/backup-folder.ts';
import type { Database } from '../platform/database/database.ts';
import { findDamageWhileOpen, sizeOf } from '../platform/database/database-file.ts';
import { explainDamage } from '../platform/database/open-database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import { type DatabaseUse, DiskUseStore } from './disk-use.store.ts';

/** Content of the data folder, in bytes. */
export interface DiskUse {
  database: number;
  /** Parts of the database. */
  records: number;
  logs: number;
  webhooks: number;
  /** Free space inside the database, which can be reused or released. */
  free: number;
  backups: number;
  cache: number;
  /** Tables of the database with their indexes, largest first. */
  tables: Array<{ name: string; sizeBytes: number }>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The first maintenance waits, because a start is followed by other work. */
const FIRST_AFTER_MS = 10 * MINUTE_MS;
const EVERY_MS = 15 * MINUTE_MS;
/** A hub that is never idle is backed up after this time anyway. */
const MAX_INTERVAL_MS = 1.25 * DAY_MS;
/** Pages that one step of vacuuming releases: other writers wait for one step only. */
const VACUUM_STEP = 500;
/** This share is left free, because the next writes use it. */
const KEPT_FREE_SHARE = 0.05;
const KEPT_FREE_BYTES = 8 * 1_048_576;
/** A file of an earlier version is rewritten once. A larger file would delay writers for more than a few seconds. */
const MAX_REWRITTEN_BYTES = 256 * 1_048_576;

export type DataCareService = ReturnType<typeof createDataCareService>;

/** Maintains the hub's data: backups, checks, disk space, removal of deleted rows. */
export function createDataCareService(use: {
  database: Database;
  environments: Pick<EnvironmentService, 'list'>;
  backups: BackupFolder;
  home: string;
  clock: Clock;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  /** The last run of the program ended uncleanly, and the database was not checked before it was opened. */
  isUnchecked: boolean;
  /** A problem that was found before this service was created. */
  problem: string | undefined;
  /** True while no work is running that a moment of disk work would delay. */
  isIdle(): boolean;
  /** `health`: `problem` has changed. */
  events: EventSink<{ health: undefined }>;
}) {
  const { database, environments, backups, home, clock, logger, seenTime, isUnchecked, isIdle, events } = use;
  const diskUse = new DiskUseStore();
  let first: Timer | undefined;
  let checking = Promise.resolve();
  let backingUp: Promise<Backup> | undefined;
  let isDamaged = false;
  let areFilesLost = false;
  let { problem } = use;
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: EVERY_MS,
    sweep: (isStopped) => sweep(isStopped),
    failureMessage: 'The maintenance of the data failed; trying again in a quarter of an hour.',
  });

  /** A problem of the files that was found elsewhere; undefined when it is over. */
  function noteFiles(found: string | undefined): void {
    areFilesLost = found !== undefined;
    setProblem(found);
  }

  function start(): void {
    if (isUnchecked) checking = checkAfterCrash();
    first = clock.after(FIRST_AFTER_MS, () => sweeps.start());
  }

  /** Waits for a running backup or step of vacuuming. */
  async function stop(): Promise<void> {
    first?.cancel();
    await sweeps.stop();
    await checking;
    // The caller of the backup receives the error.
    await backingUp?.catch(() => {});
  }

  function listBackups(): Promise<Backup[]> {
    return backups.list();
  }

  /** Writes a backup that daily backups do not replace. Throws `server_error` with the reason when it fails. */
  async function backUp(): Promise<Backup> {
    try {
      return await write('manual');
    } catch (error) {
      throw new HomeportError('server_error', messageOf(error), { cause: error });
    }
  }

  /** Deletes a backup that was made by hand. Of other backups a fixed number is kept, and new ones replace old ones. */
  async function deleteBackup(name: string): Promise<void> {
    const backup = (await backups.list()).find((one) => one.name === name);
    if (!backup) throw unknownBackup(name);
    if (backup.reason !== 'manual')
      throw new HomeportError('invalid_request', 'Only backups that were made by hand can be deleted.');
    await backups.remove(backup);
  }

  /** Problems of the database, or of the backup with this name; empty when it is undamaged. */
  async function verify(name: string | undefined): Promise<string[]> {
    if (name === undefined) {
      const problems = await findDamageWhileOpen(join(home, 'homeport.db'), 'full');
      if (problems.length > 0) await noteDamage(problems);
      return problems;
    }
    if ((await backups.find(name)) === undefined) throw unknownBackup(name);
    return backups.verify(name);
  }

  async function measureDisk(): Promise<DiskUse> {
    const [use, databaseBytes, cache, kept] = await Promise.all([
      diskUse.measure(database.reader),
      measureDatabase(),
      sizeOfFolder(join(home, 'cache')),
      backups.list(),
    ]);
    return {
      database: databaseBytes,
      records: bytesOf(use, /^record/),
      logs: bytesOf(use, /^log_/),
      webhooks: bytesOf(use, /webhook/),
      free: use.freePages * use.pageBytes,
      backups: kept.reduce((total, { sizeBytes }) => total + sizeBytes, 0),
      cache,
      tables: [...use.tables]
        .map(([name, sizeBytes]) => ({ name, sizeBytes }))
        .sort((one, other) => other.sizeBytes - one.sizeBytes),
    };
  }

  /**
   * Rewrites the database without free space. That needs as much free disk space as the database has data, and writers
   * wait meanwhile. Resolves to the number of bytes saved. Throws `server_error` with the reason when it fails.
   */
  async function compact(): Promise<number> {
    const before = await measureDatabase();
    try {
      await diskUse.rewrite(database);
      await diskUse.emptyLog(database);
    } catch (error) {
      throw new HomeportError(
        'server_error',
        `The database could not be compacted: ${messageOf(error)}. Nothing was changed. It needs about ${Math.ceil(before / 1_048_576)} MB of free disk.`,
        { cause: error },
      );
    }
    const freed = Math.max(before - (await measureDatabase()), 0);
    logger.info({ freedBytes: freed }, 'the database was compacted');
    return freed;
  }

  /** Bytes of the database and its write-ahead log. */
  async function measureDatabase(): Promise<number> {
    return (await sizeOf(join(home, 'homeport.db'))) + (await sizeOf(join(home, 'homeport.db-wal')));
  }

  async function sweep(isStopped: () => boolean): Promise<void> {
    const days = new Map(environments.list().map(({ id, settings }) => [id, settings.logRetentionDays]));
    const retentionDays = (id: number): number | null => days.get(id) ?? null;
    if (!seenTime.isDoubtful())
      await purgeDeleted({ database, retentionDays, now: clock.now() }, [...days.keys()], isStopped);
    if (isStopped()) return;
    const ageMs = clock.now() - (await lastDailyAt());
    if (!isDamaged && !areFilesLost && ageMs >= DAY_MS && (isIdle() || ageMs >= MAX_INTERVAL_MS)) await backUpDaily();
    if (!isStopped() && isIdle()) await vacuum(isStopped);
  }

  async function lastDailyAt(): Promise<number> {
    const now = clock.now();
    // A backup "of tomorrow", made while the clock was wrong, does not replace the one of today.
    const isPast = ({ reason, createdAt }: Backup): boolean => reason === 'daily' && createdAt <= now;
    return (await backups.list()).find(isPast)?.createdAt ?? Number.NEGATIVE_INFINITY;
  }

  async function backUpDaily(): Promise<void> {
    try {
      const { name, sizeBytes } = await write('daily');
      logger.info({ name, sizeBytes }, 'the daily backup was made');
      setProblem(undefined);
    } catch (error) {
      logger.error({ err: error }, 'the daily backup failed; trying again in a quarter of an hour');
      setProblem(`The daily backup failed: ${messageOf(error)}`);
    }
  }

  /** One backup at a time: two at once would write the same bytes twice. */
  async function write(reason: 'daily' | 'manual'): Promise<Backup> {
    while (backingUp) await backingUp.catch(() => {});
    const writing = backups.write(reason).finally(() => {
      if (backingUp === writing) backingUp = undefined;
    });
    backingUp = writing;
    return writing;
  }

  async function vacuum(isStopped: () => boolean): Promise<void> {
    let use = await diskUse.pages(database.reader);
    if (!use.isIncremental) {
      // Done once, and only while there is a recent backup.
      const isBackedUp = clock.now() - (await lastDailyAt()) < DAY_MS;
      if (use.pages * use.pageBytes > MAX_REWRITTEN_BYTES || !isBackedUp) return;
      await diskUse.rewrite(database);
      logger.info({ pages: use.pages }, 'the database was rewritten, so that free space can be given back');
      return;
    }
    const kept = Math.max(use.pages * KEPT_FREE_SHARE, KEPT_FREE_BYTES / use.pageBytes);
    while (use.freePages > kept && isIdle() && !isStopped()) {
      await diskUse.release(database, VACUUM_STEP);
      use = await diskUse.pages(database.reader);
    }
  }

  async function checkAfterCrash(): Promise<void> {
    try {
      const problems = await findDamageWhileOpen(join(home, 'homeport.db'), 'quick');
      if (problems.length > 0) await noteDamage(problems);
    } catch (error) {
      logger.error({ err: error }, 'the database could not be checked after an unclean end');
    }
  }

  /** Good backups must not be replaced by backups of a damaged database, so automatic backups stop. */
  async function noteDamage(problems: readonly string[]): Promise<void> {
    const { message } = await explainDamage({ home, backups, problems });
    isDamaged = true;
    logger.error({ problems }, message);
    setProblem(message);
  }

  function setProblem(found: string | undefined): void {
    if ((isDamaged && found === undefined) || problem === found) return;
    problem = found;
    events.emit('health', undefined);
  }

  return {
    noteFiles,
    start,
    stop,
    listBackups,
    backUp,
    deleteBackup,
    verify,
    measureDisk,
    compact,
    /** The problem of the data or its backups, as a text for people; undefined when there is none. */
    get problem(): string | undefined {
      return problem;
    },
  };
}

function bytesOf({ tables }: DatabaseUse, names: RegExp): number {
  return [...tables].reduce((total, [name, bytes]) => total + (names.test(name) ? bytes : 0), 0);
}

async function sizeOfFolder(folder: string): Promise<number> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      entries.filter((entry) => entry.isFile()).map((entry) => sizeOf(join(entry.parentPath, entry.name))),
    );
    return sizes.reduce((total, size) => total + size, 0);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return 0;
    throw error;
  }
}

function unknownBackup(name: string): HomeportError {
  return new HomeportError('not_found', `There is no backup "${name}". Old backups are removed automatically.`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Rows removed per transaction. */
const SLICE = 500;

interface PurgeOptions {
  database: Pick<Database, 'transaction'>;
  /** Days for which logs of an environment are kept. Null: logs and deleted rows are kept for ever. */
  retentionDays(environmentId: number): number | null;
  now: number;
}

/**
 * Removes connections and integrations that were deleted longer ago than logs are kept, because logs may refer to them
 * (design.md 7.36). Also removes changes of integrations that can no longer be undone. Resolves to the number of rows
 * removed.
 */
export async function purgeDeleted(
  { database, retentionDays, now }: PurgeOptions,
  environmentIds: readonly number[],
  isStopped = (): boolean => false,
): Promise<number> {
  const connections = new ConnectionsStore();
  const integrations = new IntegrationsStore();
  const changes = new IntegrationChangesStore();
  const inSlices = { database, sliceSize: SLICE, isStopped };
  let purged = await removeInSlices(inSlices, (tx) => changes.removeOld(tx, now - CHANGES_KEPT_MS, SLICE));
  for (const environmentId of environmentIds) {
    const days = retentionDays(environmentId);
    if (days === null) continue;
    const before = now - days * DAY_MS;
    purged += await removeInSlices(inSlices, (tx) =>
      connections.purgeDeleted(tx, { environmentId, before, limit: SLICE }),
    );
    if (isStopped()) return purged;
    purged += await database.transaction((tx) => integrations.purgeDeleted(tx, { environmentId, before }));
  }
  return purged;
}
