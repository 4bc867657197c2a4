import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../log/operation.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import { isVaultLocked } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { IssuedCredentials } from './credentials/credentials.service.ts';

interface UnstoredRenewalsOptions {
  journal: RenewalJournal;
  clock: Clock;
  logger: Logger;
  /** Stores renewed credentials, unless others were stored since `replaces`. */
  store(connectionRowId: number, replaces: string, issued: IssuedCredentials): Promise<void>;
  /** Called when `count` has changed. */
  onUnstoredChanged(): void;
}

/** Renewed credentials in memory; `name` is their journal entry, if it could be written. */
interface Unstored extends JournalEntry {
  name: string | undefined;
  /** True after the database refused them at least once. */
  isRefused?: boolean;
}

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

const HELD =
  'The provider renewed the credentials, but they cannot be stored: the disk may be full or the data folder not writable. ' +
  'Homeport holds them in memory and tries again. Fix this before you quit Homeport, or the account must be connected again.';

/**
 * Keeps renewed credentials from the provider's response until the database has stored them. A provider that rotates
 * refresh tokens no longer accepts the old one by then, so they are kept both in the journal and in memory, and are not
 * lost when one of the two fails.
 */
export class UnstoredRenewals {
  readonly #options: UnstoredRenewalsOptions;
  /** The newest credentials of each connection. */
  readonly #entries = new Map<number, Unstored>();
  #notedCount = 0;
  #timer: Timer | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isStopped = false;

  constructor(options: UnstoredRenewalsOptions) {
    this.#options = options;
  }

  /** Number of connections whose renewed credentials the database refused. */
  get count(): number {
    return [...this.#entries.values()].filter(({ isRefused }) => isRefused).length;
  }

  /** Keeps credentials in memory first, because the journal may fail. Replaces earlier ones of the connection. */
  keep(entry: JournalEntry): void {
    const earlier = this.#entries.get(entry.connectionRowId);
    const kept: Unstored = { ...entry, name: undefined, isRefused: earlier?.isRefused ?? false };
    this.#entries.set(entry.connectionRowId, kept);
    this.#write(kept);
    // Removed only after the newer entry is written: an old entry is better than no entry.
    if (earlier?.name !== undefined && kept.name !== undefined) this.#removeEntry(earlier.name);
  }

  /**
   * Stores the kept credentials of a connection. Throws when the database refuses them, and retries in the background.
   */
  async store(connectionRowId: number, operation?: Operation): Promise<void> {
    const kept = this.#entries.get(connectionRowId);
    if (!kept) return;
    try {
      await this.#options.store(connectionRowId, kept.replaces, kept.minted);
    } catch (error) {
      if (isVaultLocked(error)) {
        // The vault was locked during the request; the credentials stay in memory until it is unlocked.
        this.#retryLater();
        throw error;
      }
      operation?.log({ level: 'error', message: HELD });
      this.#options.logger.error(
        { err: error, connection: connectionRowId, isJournaled: kept.name !== undefined },
        HELD,
      );
      this.#retryLater();
      kept.isRefused = true;
      this.#noteCount();
      throw error;
    }
    if (this.#entries.get(connectionRowId) === kept) this.#entries.delete(connectionRowId);
    if (kept.name !== undefined) this.#removeEntry(kept.name);
    this.#noteCount();
  }

  /** Stores the entries that the last run of the program left in the journal; resolves to their number. */
  async recover(): Promise<number> {
    const entries = this.#readJournal();
    // Newest first: an older entry of the same connection is invalid after the newer one is stored.
    for (const entry of entries) {
      if (this.#entries.has(entry.connectionRowId)) continue;
      this.#entries.set(entry.connectionRowId, entry);
      await this.store(entry.connectionRowId).catch(() => {
        // The failure was logged and will be retried.
      });
      if (!this.#entries.has(entry.connectionRowId)) this.#removeOlder(entries, entry);
    }
    return entries.length;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#storeAll();
  }

  #retryLater(): void {
    if (this.#isStopped || this.#timer) return;
    this.#timer = this.#options.clock.after(this.#retryMs, () => {
      this.#timer = undefined;
      this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
      void this.#storeAll();
    });
  }

  /** Stores all credentials in the database; those that it refuses are written to the journal. Never rejects. */
  async #storeAll(): Promise<void> {
    for (const kept of [...this.#entries.values()]) {
      try {
        await this.store(kept.connectionRowId);
      } catch {
        // The failure was logged and will be retried.
        if (kept.name === undefined) this.#write(kept);
      }
    }
    if (this.#entries.size === 0) this.#retryMs = FIRST_RETRY_MS;
  }

  #noteCount(): void {
    if (this.count === this.#notedCount) return;
    this.#notedCount = this.count;
    this.#options.onUnstoredChanged();
  }

  #write(kept: Unstored): void {
    const { connectionRowId, replaces, minted } = kept;
    try {
      kept.name = this.#options.journal.write({ connectionRowId, replaces, minted });
    } catch (error) {
      if (isVaultLocked(error)) return;
      this.#options.logger.error(
        { err: error, connection: connectionRowId },
        'The renewal journal cannot be written. Check whether the disk is full or the data folder not writable.',
      );
    }
  }

  #readJournal(): Array<JournalEntry & { name: string }> {
    try {
      return this.#options.journal.readAll();
    } catch (error) {
      this.#options.logger.error(
        { err: error },
        'The renewal journal cannot be read. Make its folder readable and start again.',
      );
      return [];
    }
  }

  #removeOlder(entries: Array<JournalEntry & { name: string }>, stored: JournalEntry): void {
    for (const { connectionRowId, name } of entries) {
      if (connectionRowId === stored.connectionRowId) this.#removeEntry(name);
    }
  }

  /** An entry that cannot be removed does no harm, because its `replaces` no longer matches. */
  #removeEntry(name: string): void {
    try {
      this.#options.journal.remove(name);
    } catch (error) {
      this.#options.logger.warn({ err: error, entry: name }, 'an entry of the renewal journal could not be removed');
    }
  }
}

interface RenewalJournalOptions {
  /** Created with the first entry. */
  folder: string;
  vault: Vault;
  clock: Clock;
  logger: Logger;
}

/** Renewed credentials that may not be in the database yet. */
interface JournalEntry {
  connectionRowId: number;
  /** The sealed credentials that they replace: an entry is invalid when others were stored since. */
  replaces: string;
  /** The name is part of the format of stored entries. */
  minted: IssuedCredentials;
}

const ENDING = '.renewal';
const CONTEXT = 'renewal-journal';

/**
 * A provider that rotates refresh tokens invalidates the old one with its response. So the response is written to the disk
 * synchronously, before any other work: a crash between the response and the database does not lose it. The next start
 * stores the entries that it finds.
 */
export class RenewalJournal {
  readonly #options: RenewalJournalOptions;
  /** Makes names of entries from the same millisecond unique. */
  #count = 0;

  constructor(options: RenewalJournalOptions) {
    this.#options = options;
  }

  /**
   * Blocks until the entry is durable; returns its name. Throws when it cannot be written, and then leaves no part of
   * it.
   */
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
      // On a full disk only a part may be written.
      if (writeSync(file, sealed) < Buffer.byteLength(sealed)) throw new Error('Only a part of the entry was written.');
      fsyncSync(file);
      isWritten = true;
    } finally {
      closeSync(file);
      if (!isWritten) rmSync(path, { force: true });
    }
    return name;
  }

  /** Call it after the content was stored, or is invalid. */
  remove(name: string): void {
    rmSync(join(this.#options.folder, name), { force: true });
  }

  /**
   * The entries that the last run of the program left, newest first: of two entries for one connection, the newer one
   * must be stored. Removes incomplete entries.
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
      // It may hold a token, so it is kept for a start that can read it.
      logger.error(
        { err: error, entry: name },
        'An entry of the renewal journal cannot be read; make it readable and start again.',
      );
      return undefined;
    }
    try {
      return vault.openJson<JournalEntry>(sealed, CONTEXT);
    } catch (error) {
      logger.warn({ err: error, entry: name }, 'an incomplete entry of the renewal journal was removed');
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
      if (hasErrorCode(error, 'ENOENT')) return [];
      throw error;
    }
  }
}
