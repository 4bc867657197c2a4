import { statSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '../lib/clock.ts';
import { hasErrorCode } from '../lib/error-code.ts';
import { HomeportError } from '../lib/homeport-error.ts';
import type { Logger } from '../lib/logger.ts';
import type { Database } from './database.ts';

const CHECK_EVERY_MS = 2_000;
/** Pause before the content is written once more, after a failure: a full disk may get space. */
const RESCUE_AGAIN_MS = 10_000;
const DATABASE_FILES = ['homeport.db', 'homeport.db-wal'];
const LOCK_FILE = 'homeport.lock';
const KEY_FILE = 'master.key';
const RESCUED = /^homeport-rescued-\d+\.db$/;

interface DataFilesOptions {
  home: string;
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Whether the master key is in its file; then the file must stay. */
  usesKeyFile(): boolean;
}

/**
 * Watches the hub's own files. A cleaner, a sync program or a careless restore can take them away under it; the open
 * handles go on as if nothing happened, and at the next start everything is gone. From then on nothing is stored, and the
 * database files' content, which the handles still have, is written to a new file (design.md 7.57).
 */
export class DataFiles {
  readonly #options: DataFilesOptions;
  readonly #seen = new Map<string, string>();
  #timer: Timer | undefined;
  #problem: string | undefined;
  #rescuing: Promise<void> | undefined;
  #rescuePause: Timer | undefined;
  #onProblem: (problem: string | undefined) => void = () => {};
  #isKeyMissing = false;

  constructor(options: DataFilesOptions) {
    this.#options = options;
  }

  /** `onProblem` gets each problem as a text for people, and undefined when it is over. */
  start(onProblem: (problem: string | undefined) => void): void {
    this.#onProblem = onProblem;
    this.check();
    this.#options.database.guard({
      beforeWrite: () => this.#refuse(),
      afterDurableWrite: () => {
        this.check();
        this.#refuse();
      },
    });
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#rescuePause?.cancel();
    this.#rescuePause = undefined;
    this.check();
    await this.#rescuing;
  }

  check(): void {
    if (this.#rescuing || this.#rescuePause) return;
    const lost = DATABASE_FILES.filter((name) => this.#isOther(name));
    if (lost.length > 0) return this.#rescue(lost);
    const isLockLost = this.#isOther(LOCK_FILE);
    // Twice in a row: a change of the key replaces the file and then says where the key is now.
    const isKeyLost = this.#options.usesKeyFile() && identityOf(this.#path(KEY_FILE)) === undefined;
    const names = [...(isLockLost ? [LOCK_FILE] : []), ...(isKeyLost && this.#isKeyMissing ? [KEY_FILE] : [])];
    this.#isKeyMissing = isKeyLost;
    this.#set(names.length === 0 ? undefined : explainOther(names));
  }

  #arm(): void {
    this.#timer = this.#options.clock.after(CHECK_EVERY_MS, () => {
      this.check();
      this.#arm();
    });
  }

  /** Whether the file that was there is gone, or is another one. */
  #isOther(name: string): boolean {
    const identity = identityOf(this.#path(name));
    const known = this.#seen.get(name);
    if (known === undefined && identity !== undefined) this.#seen.set(name, identity);
    return known !== undefined && known !== identity;
  }

  #rescue(lost: readonly string[]): void {
    const { clock, logger } = this.#options;
    const name = `homeport-rescued-${clock.now()}.db`;
    const before = `${named(lost)} of the data folder was removed or replaced while Homeport ran. Nothing more is stored.`;
    const failed = 'It could not be written to a new file yet';
    // While it is tried again, the text stays.
    if (!this.#problem?.includes(failed))
      this.#set(`${before} Everything stored until now is being written to ${name}. Do not end Homeport yet.`);
    this.#rescuing = this.#save(name).then(
      () =>
        this.#set(
          `${before} Everything stored until now is in the file ${name} of the data folder. Stop Homeport and run: ` +
            `homeport restore ${this.#path(name)}`,
        ),
      (error: unknown) => {
        logger.error({ err: error }, 'what the open database still holds could not be written to a new file');
        this.#set(
          `${before} ${failed}; Homeport tries again every few seconds. Look whether the disk is full, and do not end ` +
            'Homeport before: without the file only the newest backup is left.',
        );
        this.#rescuing = undefined;
        this.#rescuePause = clock.after(RESCUE_AGAIN_MS, () => {
          this.#rescuePause = undefined;
        });
      },
    );
  }

  async #save(name: string): Promise<void> {
    const part = this.#path(`${name}.part`);
    try {
      await this.#options.database.copyInto(part);
      // Only a complete copy has the name.
      await rename(part, this.#path(name));
    } catch (error) {
      // It would take the space that the next attempt needs.
      await rm(part, { force: true });
      throw error;
    }
  }

  #set(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    if (problem !== undefined) this.#options.logger.error({}, problem);
    this.#onProblem(problem);
  }

  #refuse(): void {
    // The path would tell callers about the disk.
    if (this.#problem !== undefined)
      throw new HomeportError('data_files_lost', this.#problem.replaceAll(`${this.#options.home}/`, ''));
  }

  #path(name: string): string {
    return join(this.#options.home, name);
  }
}

/** The copy that a rescue left in the data folder, the newest one; undefined when there is none. */
export async function findRescued(home: string): Promise<string | undefined> {
  try {
    return (await readdir(home))
      .filter((name) => RESCUED.test(name))
      .sort()
      .at(-1);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Tells one file from another of the same name. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

function explainOther(names: readonly string[]): string {
  return (
    `${named(names)} of the data folder was removed or replaced while Homeport ran. Nothing more is stored. ` +
    'Put it back, or stop Homeport and start it again.'
  );
}

function named(names: readonly string[]): string {
  return `The file ${names.join(' and ')}`;
}
