import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Minted } from '../credentials/credentials-service.ts';

export interface RenewalJournalOptions {
  /** Made when the first entry is written. */
  folder: string;
  vault: Vault;
  clock: Clock;
  logger: Logger;
}

/** Renewed credentials that may not be stored yet. */
export interface JournalEntry {
  connectionRowId: number;
  /** The sealed credentials that they replace: an entry is void once others are stored. */
  replaces: string;
  minted: Minted;
}

const ENDING = '.renewal';
const CONTEXT = 'renewal-journal';

/**
 * A provider that rotates refresh tokens forgets the old one as it answers. What it answered is therefore on the
 * disk before anything else happens, written without giving way to other work: no crash of the program between the
 * answer and the database loses it. The next start stores what it finds here.
 */
export class RenewalJournal {
  readonly #options: RenewalJournalOptions;
  /** Tells entries of one millisecond apart. */
  #count = 0;

  constructor(options: RenewalJournalOptions) {
    this.#options = options;
  }

  /** Blocks until the entry is durable; returns its name. Throws when it cannot be written, and leaves nothing of it. */
  write(entry: JournalEntry): string {
    const { clock, folder, vault } = this.#options;
    const sealed = vault.sealJson(entry, CONTEXT);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#count += 1;
    const name = `${clock.now()}-${String(this.#count).padStart(9, '0')}${ENDING}`;
    const path = join(folder, name);
    const file = openSync(path, 'wx', 0o600);
    let isWritten = false;
    try {
      // A full disk may take a part of it.
      if (writeSync(file, sealed) < Buffer.byteLength(sealed))
        throw new Error('The disk took only a part of the entry.');
      fsyncSync(file);
      isWritten = true;
    } finally {
      closeSync(file);
      if (!isWritten) rmSync(path, { force: true });
    }
    return name;
  }

  /** After its content was stored, or turned out to be void. */
  remove(name: string): void {
    rmSync(join(this.#options.folder, name), { force: true });
  }

  /**
   * What the last run of the program left behind, newest first: of two for one connection the newer is the one to
   * store. An entry cut off while it was written is none.
   */
  readAll(): Array<JournalEntry & { name: string }> {
    return this.#names().flatMap((name) => {
      const entry = this.#read(name);
      return entry ? [{ ...entry, name }] : [];
    });
  }

  #read(name: string): JournalEntry | undefined {
    const { folder, logger, vault } = this.#options;
    let sealed: string;
    try {
      sealed = readFileSync(join(folder, name), 'utf8');
    } catch (error) {
      // It may hold a token: it stays for a start that can read it.
      logger.error(
        { err: error, entry: name },
        'An entry of the renewal journal cannot be read; make it readable and start again.',
      );
      return undefined;
    }
    try {
      return vault.openJson<JournalEntry>(sealed, CONTEXT);
    } catch (error) {
      logger.warn({ err: error, entry: name }, 'an unfinished entry of the renewal journal was left out');
      this.remove(name);
      return undefined;
    }
  }

  #names(): string[] {
    try {
      return readdirSync(this.#options.folder)
        .filter((name) => name.endsWith(ENDING))
        .sort()
        .reverse();
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  }
}
