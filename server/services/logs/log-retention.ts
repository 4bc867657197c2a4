import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { PeriodicSweep } from '../../lib/periodic-sweep.ts';
import type { MessagesStore } from '../../stores/messages-store.ts';
import type { OperationsStore } from '../../stores/operations-store.ts';

export const DEFAULT_RETENTION_DAYS = 15;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Rows per transaction: other writers wait behind one slice only. */
const SLICE = 1_000;

export interface LogRetentionOptions {
  database: Pick<Database, 'transaction' | 'reader'>;
  operations: OperationsStore;
  messages: MessagesStore;
  clock: Clock;
  logger: Logger;
  /** Null: they are kept for good. */
  retentionDays(environmentId: number): number | null | Promise<number | null>;
}

/** Removes old operations in the background, once an hour. */
export class LogRetention {
  readonly #options: LogRetentionOptions;
  readonly #sweeps: PeriodicSweep;

  constructor(options: LogRetentionOptions) {
    this.#options = options;
    this.#sweeps = new PeriodicSweep({
      ...options,
      intervalMs: HOUR_MS,
      sweep: (isStopped) => this.sweep(isStopped),
      complaint: 'Old log entries could not be removed; trying again in an hour.',
    });
  }

  start(): void {
    this.#sweeps.start();
  }

  /** Waits for the slice in work; the rest is left to the next start. */
  stop(): Promise<void> {
    return this.#sweeps.stop();
  }

  /** Removes everything that is too old now; returns the number of operations removed. */
  async sweep(isStopped = (): boolean => false): Promise<number> {
    const { database, operations, clock, retentionDays } = this.#options;
    let removed = 0;
    for (const environmentId of await operations.listEnvironmentIds(database.reader)) {
      const days = await retentionDays(environmentId);
      if (days === null) continue;
      const before = clock.now() - days * DAY_MS;
      let slice: number[];
      do {
        slice = await operations.listExpired(database.reader, { environmentId, before, limit: SLICE });
        if (!(await this.#remove(slice, isStopped))) return removed;
        removed += slice.length;
      } while (slice.length === SLICE);
    }
    return removed;
  }

  /** False when the program stops meanwhile: the operations then stay until their messages are gone. */
  async #remove(slice: number[], isStopped: () => boolean): Promise<boolean> {
    const { database, operations, messages } = this.#options;
    if (slice.length === 0) return true;
    let count: number;
    do {
      if (isStopped()) return false;
      count = await database.transaction((tx) => messages.removeOf(tx, slice, SLICE));
    } while (count === SLICE);
    await database.transaction((tx) => operations.remove(tx, slice));
    return true;
  }
}
