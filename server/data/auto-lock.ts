import type { Database } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { VaultStore } from '../platform/vault/vault.store.ts';
import type { KeyCare } from './key-care.ts';

interface AutoLockOptions {
  database: Pick<Database, 'reader' | 'transaction'>;
  keyCare: Pick<KeyCare, 'lock'>;
  clock: Clock;
  logger: Logger;
  /** `health`: the time was changed. */
  events: EventSink<{ health: undefined }>;
}

const MINUTE_MS = 60_000;

/**
 * Locks the vault when no person has used the dashboard for a time that the owner chose. Only actions of a person count
 * (`notePresence`): open pages send requests by themselves, and apps, schedules and commands run unattended.
 */
export class AutoLock {
  readonly #options: AutoLockOptions;
  readonly #rows = new VaultStore();
  #minutes: number | null = null;
  #seenAt = 0;
  #timer: Timer | undefined;
  #locking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: AutoLockOptions) {
    this.#options = options;
  }

  /** Null when the vault is locked by hand only. */
  get minutes(): number | null {
    return this.#minutes;
  }

  /** Loads the time. A start counts as presence. */
  async start(): Promise<void> {
    this.#minutes = await this.#rows.findAutoLockMinutes(this.#options.database.reader);
    this.notePresence();
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#locking;
  }

  /** Changes the time; null turns automatic locking off. A change counts as presence. */
  async change(minutes: number | null): Promise<void> {
    const { database, events } = this.#options;
    await database.transaction((tx) => this.#rows.updateAutoLockMinutes(tx, minutes));
    this.#minutes = minutes;
    this.notePresence();
    this.#arm();
    events.emit('health', undefined);
  }

  /** A person has just used the dashboard. */
  notePresence(): void {
    this.#seenAt = this.#options.clock.now();
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#minutes === null || this.#isStopped) return;
    const { clock } = this.#options;
    const limitMs = this.#minutes * MINUTE_MS;
    // After a lock, or when the clock was set back, the next check is a whole period later.
    const leftMs = this.#seenAt + limitMs - clock.now();
    const waitMs = leftMs > 0 && leftMs <= limitMs ? leftMs : limitMs;
    this.#timer = clock.after(waitMs, () => {
      const now = clock.now();
      if (this.#seenAt > now) this.#seenAt = now - limitMs;
      if (now - this.#seenAt >= limitMs) this.#locking = this.#lock();
      this.#arm();
    });
  }

  async #lock(): Promise<void> {
    const { keyCare, logger } = this.#options;
    try {
      await keyCare.lock();
    } catch (error) {
      // Without its master key the vault could not be unlocked again. The settings show that, and the next check tries
      // again.
      if (error instanceof HomeportError)
        logger.warn({ reason: error.message }, 'the vault was not locked automatically');
      else logger.error({ err: error }, 'the vault could not be locked automatically');
    }
  }
}
