import type { Database } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { VaultStore } from '../platform/vault/vault.store.ts';
import type { KeyCare } from './key-care.ts';

const MINUTE_MS = 60_000;

export type AutoLock = ReturnType<typeof createAutoLock>;

/**
 * Locks the vault when no person has used the dashboard for a time that the owner chose. Only actions of a person count
 * (`notePresence`): open pages send requests by themselves, and apps, schedules and commands run unattended.
 */
export function createAutoLock(use: {
  database: Pick<Database, 'reader' | 'transaction'>;
  keyCare: Pick<KeyCare, 'lock'>;
  clock: Clock;
  logger: Logger;
  /** `health`: the time was changed. */
  events: EventSink<{ health: undefined }>;
}) {
  const { database, keyCare, clock, logger, events } = use;
  const rows = new VaultStore();
  let minutes: number | null = null;
  let seenAt = 0;
  let timer: Timer | undefined;
  let locking = Promise.resolve();
  let isStopped = false;

  /** Loads the time. A start counts as presence. */
  async function start(): Promise<void> {
    minutes = await rows.findAutoLockMinutes(database.reader);
    notePresence();
    arm();
  }

  async function stop(): Promise<void> {
    isStopped = true;
    timer?.cancel();
    await locking;
  }

  /** Changes the time; null turns automatic locking off. A change counts as presence. */
  async function change(limit: number | null): Promise<void> {
    await database.transaction((tx) => rows.updateAutoLockMinutes(tx, limit));
    minutes = limit;
    notePresence();
    arm();
    events.emit('health', undefined);
  }

  /** A person has just used the dashboard. */
  function notePresence(): void {
    seenAt = clock.now();
  }

  function arm(): void {
    timer?.cancel();
    timer = undefined;
    if (minutes === null || isStopped) return;
    const limitMs = minutes * MINUTE_MS;
    // After a lock, or when the clock was set back, the next check is a whole period later.
    const leftMs = seenAt + limitMs - clock.now();
    const waitMs = leftMs > 0 && leftMs <= limitMs ? leftMs : limitMs;
    timer = clock.after(waitMs, () => {
      const now = clock.now();
      if (seenAt > now) seenAt = now - limitMs;
      if (now - seenAt >= limitMs) locking = lock();
      arm();
    });
  }

  async function lock(): Promise<void> {
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

  return {
    start,
    stop,
    change,
    notePresence,
    /** Null when the vault is locked by hand only. */
    get minutes(): number | null {
      return minutes;
    },
  };
}
