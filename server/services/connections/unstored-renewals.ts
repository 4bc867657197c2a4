import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Minted } from '../credentials/credentials-service.ts';
import type { Operation } from '../logs/operation.ts';
import type { JournalEntry, RenewalJournal } from './renewal-journal.ts';

export interface UnstoredRenewalsOptions {
  journal: RenewalJournal;
  clock: Clock;
  logger: Logger;
  /** Stores renewed credentials, unless others were stored since `replaces`. */
  store(connectionRowId: number, replaces: string, minted: Minted): Promise<void>;
  /** Told when `count` changed. */
  onUnstoredChanged(): void;
}

/** Renewed credentials in memory; `name` is their entry in the journal, when it took them. */
interface Unstored extends JournalEntry {
  name: string | undefined;
  /** By the database, at least once. */
  isRefused?: boolean;
}

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

const HELD =
  'The provider renewed the credentials, but they cannot be stored: the disk may be full or the data folder not writable. ' +
  'Homeport holds them in memory and tries again. Mend that before you end Homeport, or the account must be connected again.';

/**
 * Renewed credentials from the moment the provider hands them out until the database has them. A provider that rotates
 * refresh tokens has forgotten the old one by then, so they are in the journal and in memory meanwhile, and neither
 * failing loses them.
 */
export class UnstoredRenewals {
  readonly #options: UnstoredRenewalsOptions;
  /** The newest of each connection. */
  readonly #entries = new Map<number, Unstored>();
  #notedCount = 0;
  #timer: Timer | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isStopped = false;

  constructor(options: UnstoredRenewalsOptions) {
    this.#options = options;
  }

  /** Connections whose renewed credentials the database refused. */
  get count(): number {
    return [...this.#entries.values()].filter(({ isRefused }) => isRefused).length;
  }

  /** From memory on: the journal may fail. Replaces what was kept before for the connection. */
  keep(entry: JournalEntry): void {
    const earlier = this.#entries.get(entry.connectionRowId);
    const kept: Unstored = { ...entry, name: undefined, isRefused: earlier?.isRefused ?? false };
    this.#entries.set(entry.connectionRowId, kept);
    this.#write(kept);
    // Only once the newer one is safe: without a journal the earlier entry is better than none.
    if (earlier?.name !== undefined && kept.name !== undefined) this.#removeEntry(earlier.name);
  }

  /** Stores what is kept of a connection; throws when the database refuses it, and goes on trying in the background. */
  async store(connectionRowId: number, operation?: Operation): Promise<void> {
    const kept = this.#entries.get(connectionRowId);
    if (!kept) return;
    try {
      await this.#options.store(connectionRowId, kept.replaces, kept.minted);
    } catch (error) {
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

  /** Stores what the last run of the program left in the journal; resolves to how many entries there were. */
  async recover(): Promise<number> {
    const entries = this.#readJournal();
    // Newest first: an older one of the same connection is void once the newer one is stored.
    for (const entry of entries) {
      if (this.#entries.has(entry.connectionRowId)) continue;
      this.#entries.set(entry.connectionRowId, entry);
      await this.store(entry.connectionRowId).catch(() => {
        // Logged, and tried again.
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
      this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
      void this.#storeAll();
    });
  }

  /** Into the database, else into the journal where they are not yet. Never rejects. */
  async #storeAll(): Promise<void> {
    for (const kept of [...this.#entries.values()]) {
      try {
        await this.store(kept.connectionRowId);
      } catch {
        // Logged, and tried again.
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
      this.#options.logger.error(
        { err: error, connection: connectionRowId },
        'The renewal journal cannot be written: is the disk full, or the data folder not writable?',
      );
    }
  }

  #readJournal(): Array<JournalEntry & { name: string }> {
    try {
      return this.#options.journal.readAll();
    } catch (error) {
      this.#options.logger.error(
        { err: error },
        'The renewal journal cannot be read: make its folder readable and start again.',
      );
      return [];
    }
  }

  #removeOlder(entries: Array<JournalEntry & { name: string }>, stored: JournalEntry): void {
    for (const { connectionRowId, name } of entries) {
      if (connectionRowId === stored.connectionRowId) this.#removeEntry(name);
    }
  }

  /** One that stays is void: others have been stored since what it replaces. */
  #removeEntry(name: string): void {
    try {
      this.#options.journal.remove(name);
    } catch (error) {
      this.#options.logger.warn({ err: error, entry: name }, 'an entry of the renewal journal could not be removed');
    }
  }
}
