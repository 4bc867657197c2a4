import { chmod, mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { namesIn } from '../lib/read-if-exists.ts';
import { BackupDiskFullError, copyDatabase, findDamage, sizeOf } from './database-file.ts';

/** Why a backup was made, and how many of each are kept; the oldest are removed first. */
const KEPT = { daily: 7, manual: 7, 'before-update': 3, 'before-restore': 3, 'before-key-reset': 3 } as const;
export type BackupReason = keyof typeof KEPT;

export interface Backup {
  /** Name of the backup's file in the folder. */
  name: string;
  reason: BackupReason;
  /** Milliseconds since the epoch. */
  createdAt: number;
  sizeBytes: number;
}

const NAME = /^homeport-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-([a-z-]+)\.db$/;
/** Bytes left free beside the copy, for everything else that writes to the disk. */
const SPARE_BYTES = 64 * 1_048_576;

/** The backups of one data folder, `<data folder>/backups`. They open with the master key of the data folder. */
export class BackupFolder {
  readonly path: string;
  readonly #database: string;
  readonly #clock: Pick<Clock, 'now'>;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ home, clock }: { home: string; clock: Pick<Clock, 'now'> }) {
    this.path = join(home, 'backups');
    this.#database = join(home, 'homeport.db');
    this.#clock = clock;
  }

  /** Newest first. */
  async list(): Promise<Backup[]> {
    const backups = (await this.#names()).flatMap((name) => parseName(name) ?? []);
    const sized = await Promise.all(
      backups.map(async (backup) => ({ ...backup, sizeBytes: await sizeOf(join(this.path, backup.name)) })),
    );
    return sized.sort((a, b) => b.createdAt - a.createdAt);
  }

  /** The path of the backup with this name; undefined when it does not exist. */
  async find(name: string): Promise<string | undefined> {
    return parseName(name) && (await this.#names()).includes(name) ? join(this.path, name) : undefined;
  }

  /** Runs work while no backup is written: a new master key has to reach all of them. One piece of work at a time. */
  whileStill<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /**
   * Writes a backup of the database, then removes the oldest backups of the same reason beyond the number to keep.
   * Throws DiskFullError or DamagedDatabaseError; then no backup was removed.
   */
  write(reason: BackupReason): Promise<Backup> {
    return this.whileStill(() => this.#write(reason));
  }

  async #write(reason: BackupReason): Promise<Backup> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await chmod(this.path, 0o700);
    await this.#removeLeftovers();
    await this.#checkSpace();
    const taken = new Set(await this.#names());
    let createdAt = this.#clock.now();
    // Of the same moment, as after the clock was set back, no backup replaces another one.
    while (taken.has(nameOf(createdAt, reason))) createdAt += 1;
    const name = nameOf(createdAt, reason);
    await copyDatabase(this.#database, join(this.path, name));
    await this.#rotate(reason, name);
    return { name, reason, createdAt, sizeBytes: await sizeOf(join(this.path, name)) };
  }

  async remove({ name }: Pick<Backup, 'name'>): Promise<void> {
    await rm(join(this.path, name), { force: true });
  }

  /** Problems of a backup, in words for the user; empty when it is undamaged. */
  verify(name: string): Promise<string[]> {
    return findDamage(join(this.path, name), 'full');
  }

  /** Removes incomplete files of a copy that was killed. */
  async #removeLeftovers(): Promise<void> {
    const parts = (await this.#names()).filter((name) => /\.part(-journal)?$/.test(name));
    await Promise.all(parts.map((name) => rm(join(this.path, name), { force: true })));
  }

  async #checkSpace(): Promise<void> {
    const needed = (await sizeOf(this.#database)) + (await sizeOf(`${this.#database}-wal`)) + SPARE_BYTES;
    const { bavail, bsize } = await statfs(this.path);
    if (bavail * bsize < needed)
      throw new BackupDiskFullError(
        `A backup needs ${inMegabytes(needed)} on the disk; ${inMegabytes(bavail * bsize)} are free.`,
      );
  }

  /** Keeps the new one, also where the others are of a clock that was ahead. */
  async #rotate(reason: BackupReason, newest: string): Promise<void> {
    const others = (await this.list()).filter((backup) => backup.reason === reason && backup.name !== newest);
    const surplus = others.slice(KEPT[reason] - 1);
    await Promise.all(surplus.map(({ name }) => rm(join(this.path, name), { force: true })));
  }

  #names(): Promise<string[]> {
    return namesIn(this.path);
  }
}

function nameOf(createdAt: number, reason: BackupReason): string {
  return `homeport-${new Date(createdAt).toISOString().replace(/[-:.]/g, '')}-${reason}.db`;
}

function parseName(name: string): Omit<Backup, 'sizeBytes'> | undefined {
  const [, year, month, day, hour, minute, second, ms, reason = ''] = NAME.exec(name) ?? [];
  if (!Object.hasOwn(KEPT, reason)) return undefined;
  const createdAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  return { name, reason: reason as BackupReason, createdAt };
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_048_576)} MB`;
}
