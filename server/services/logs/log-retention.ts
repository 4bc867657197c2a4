import type { Database, Transaction } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { PeriodicSweep } from '../../lib/periodic-sweep.ts';
import type { LogSizesStore } from '../../stores/log-sizes-store.ts';
import { LOG_SLOT_MS } from '../../stores/log-sizes-store.ts';
import type { MessagesStore } from '../../stores/messages-store.ts';
import type { OperationsStore } from '../../stores/operations-store.ts';
import type { TrafficRecordingsStore } from '../../stores/traffic-recordings-store.ts';
import type { LogCounts } from './log-counts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Rows per transaction: other writers wait for one slice only. */
const SLICE = 1_000;
/** Recordings per transaction: they are large, and overwritten when they are removed. */
const RECORDING_SLICE = 25;
/** A sweep starts when this many bytes were written, so logs may exceed the limit by them. */
const SWEPT_AFTER_BYTES = 32 * 1_048_576;

/** How long and how much of an environment's log is kept. */
export interface LogLimits {
  /** Null means for ever. */
  logRetentionDays(environmentId: number): number | null;
  /** Approximate limit in bytes; the oldest are removed first. Null means no limit. */
  mostLogBytes(environmentId: number): number | null;
}

export interface LogRetentionOptions {
  database: Pick<Database, 'transaction' | 'reader'>;
  operationsStore: OperationsStore;
  messagesStore: MessagesStore;
  logSizesStore: LogSizesStore;
  trafficRecordingsStore: TrafficRecordingsStore;
  counts: LogCounts;
  clock: Clock;
  logger: Logger;
  limits: LogLimits;
}

/** Keeps logs within their days and bytes, once an hour and whenever much was written. */
export class LogRetention {
  readonly #options: LogRetentionOptions;
  readonly #sweeps: PeriodicSweep;
  #bytesSince = 0;
  #early: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: LogRetentionOptions) {
    this.#options = options;
    this.#sweeps = new PeriodicSweep({
      clock: options.clock,
      logger: options.logger,
      intervalMs: HOUR_MS,
      sweep: (isStopped) => this.sweep(isStopped),
      complaint: 'Old log entries could not be removed; trying again in an hour.',
    });
  }

  start(): void {
    this.#sweeps.start();
  }

  /** Waits for the running slice; the next start does the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#sweeps.stop();
    await this.#early;
  }

  /** Counts stored bytes: a runaway function must not fill the disk between two hourly sweeps. */
  note(bytes: number): void {
    this.#bytesSince += bytes;
    if (this.#bytesSince < SWEPT_AFTER_BYTES || this.#early || this.#isStopped) return;
    this.#early = this.sweep(() => this.#isStopped)
      .then(
        () => {},
        (error: unknown) => this.#options.logger.error({ err: error }, 'Old log entries could not be removed.'),
      )
      .finally(() => {
        this.#early = undefined;
      });
  }

  /** Removes everything beyond the limits; resolves to the number of operations removed. */
  async sweep(isStopped = (): boolean => false): Promise<number> {
    const { database, operationsStore: operations, logSizesStore: sizes } = this.#options;
    this.#bytesSince = 0;
    await database.transaction((tx) => this.#options.counts.removeOld(tx));
    let removed = 0;
    for (const environmentId of await operations.listEnvironmentIds(database.reader)) {
      const before = await this.#cutoffOf(environmentId);
      if (before === undefined) continue;
      let slice: number[];
      do {
        slice = await operations.listExpired(database.reader, { environmentId, before, limit: SLICE });
        if (!(await this.#remove(slice, isStopped))) return removed;
        removed += slice.length;
      } while (slice.length === SLICE);
      await database.transaction((tx) => sizes.removeBefore(tx, environmentId, before));
    }
    return removed;
  }

  /** Removes some operations with their messages, unfinished ones included; false when there are none. */
  async removeOfEnvironment(tx: Transaction, environmentId: number): Promise<boolean> {
    const { operationsStore: operations, messagesStore: messages, trafficRecordingsStore: recordings } = this.#options;
    const seqs = await operations.listOfEnvironment(tx, environmentId, SLICE);
    if (seqs.length === 0) return false;
    // Operations are removed after their recordings and messages.
    if ((await recordings.removeOf(tx, seqs, RECORDING_SLICE)) === RECORDING_SLICE) return true;
    if ((await messages.removeOf(tx, seqs, SLICE)) < SLICE) await operations.remove(tx, seqs);
    return true;
  }

  /** Entries created before this time are removed; undefined when none must be. */
  async #cutoffOf(environmentId: number): Promise<number | undefined> {
    const { clock, database, limits, logSizesStore: sizes } = this.#options;
    const days = limits.logRetentionDays(environmentId);
    const bytes = limits.mostLogBytes(environmentId);
    const byAge = days === null ? undefined : clock.now() - days * DAY_MS;
    const bySize = bytes === null ? undefined : await sizes.findCutoff(database.reader, environmentId, bytes);
    if (bySize === undefined) return byAge;
    // Screens show the current slot, so it is kept until it is full.
    return Math.max(byAge ?? 0, Math.min(bySize, clock.now() - (clock.now() % LOG_SLOT_MS)));
  }

  /** False when the program stops meanwhile: then the operations stay until their messages are removed. */
  async #remove(slice: number[], isStopped: () => boolean): Promise<boolean> {
    const {
      database,
      operationsStore: operations,
      messagesStore: messages,
      trafficRecordingsStore: recordings,
    } = this.#options;
    if (slice.length === 0) return true;
    let count: number;
    do {
      if (isStopped()) return false;
      count = await database.transaction((tx) => recordings.removeOf(tx, slice, RECORDING_SLICE));
    } while (count === RECORDING_SLICE);
    do {
      if (isStopped()) return false;
      count = await database.transaction((tx) => messages.removeOf(tx, slice, SLICE));
    } while (count === SLICE);
    await database.transaction((tx) => operations.remove(tx, slice));
    return true;
  }
}
