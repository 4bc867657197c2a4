import type { KeyObject } from 'node:crypto';
import type { Database, Transaction } from '../platform/database/database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import { LiveOperation, type LogSink, OperationWriter } from './live-operation.ts';
import { BUFFER_LIMITS, type BufferLimits } from './log-buffer.ts';
import { LogCounts } from './log-counts.ts';
import { LogEventEmitter, type LogEvents } from './log-events.ts';
import { LogQueries, type MessagesQuery } from './log-queries.ts';
import { LOG_SLOT_MS, LogSizesStore } from './log-sizes.store.ts';
import { LogWriter } from './log-writer.ts';
import { MessagesStore } from './messages.store.ts';
import type { Operation, OperationLog, OperationStart, OperationType } from './operation.ts';
import { OperationsStore } from './operations.store.ts';
import { SecretRedactor } from './secret-redactor.ts';
import { DAY_MS, HOUR_MS } from './time-buckets.ts';
import { TrafficRecordingsStore } from './traffic-recordings.store.ts';
import { TrafficRecordings } from './traffic-recordings.ts';

export type { LogEvents } from './log-events.ts';
export type { ActivityBucket } from './log-queries.ts';
export { recordingContext } from './traffic-recordings.ts';

export interface LogsServiceOptions {
  database: Pick<Database, 'transaction' | 'reader'>;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  events: EventSink<LogEvents>;
  environments: LogLimits;
  /** Seals recorded bodies; throws `vault_locked` while the vault is locked. */
  sealingKey: () => KeyObject;
  limits?: Partial<BufferLimits>;
}

/** The log: accepts entries without delaying callers, provides the dashboard's queries, removes old entries. */
export class LogsService extends LogQueries implements OperationLog {
  readonly traffic: TrafficRecordings;
  readonly #options: LogsServiceOptions;
  readonly #operations: OperationsStore;
  readonly #counts: LogCounts;
  readonly #startedAt: number;
  readonly #live = new Map<string, LiveOperation>();
  readonly #writer: LogWriter;
  readonly #sink: LogSink;
  readonly #retention: LogRetention;

  constructor(options: LogsServiceOptions) {
    const stores = {
      operationsStore: new OperationsStore(),
      messagesStore: new MessagesStore(),
      logSizesStore: new LogSizesStore(),
      trafficRecordingsStore: new TrafficRecordingsStore(),
      counts: new LogCounts(options.database.reader, options.clock),
    };
    super({ ...stores, clock: options.clock, reader: options.database.reader });
    const emitter = new LogEventEmitter(options.events);
    this.#options = options;
    this.#operations = stores.operationsStore;
    this.#counts = stores.counts;
    this.#startedAt = options.clock.now();
    this.#writer = new LogWriter({
      ...options,
      ...stores,
      limits: { ...BUFFER_LIMITS, ...options.limits },
      onStored: (operations, messages, bytes) => {
        emitter.emit(operations, messages);
        this.#retention.note(bytes);
      },
    });
    this.traffic = new TrafficRecordings({
      ...options,
      store: stores.trafficRecordingsStore,
      push: (recording) => this.#writer.record(recording),
      flush: () => this.flush(),
    });
    this.#sink = {
      touch: (row, sizeBytes) => this.#writer.touch(row, sizeBytes),
      push: (message) => this.#writer.push(message),
      record: (id, redactor, sent) => this.traffic.record(id, redactor, sent),
    };
    this.#retention = new LogRetention({
      ...options,
      ...stores,
      limits: options.environments,
    });
  }

  start<T extends OperationType>(start: OperationStart<T>): Operation {
    const { ids, clock } = this.#options;
    const onFinished = (id: string): void => void this.#live.delete(id);
    const operation = new LiveOperation({ id: ids.uuid(), start, sink: this.#sink, clock, onFinished });
    this.#live.set(operation.id, operation);
    return operation;
  }

  /** An operation that the last run of the program left open and `resume` kept; undefined when it has ended. */
  async reopen(environmentId: number, id: string): Promise<Operation | undefined> {
    const row = await this.#operations.find(this.#options.database.reader, environmentId, id);
    if (!row || row.endedAt !== null) return undefined;
    const { clock } = this.#options;
    const onFinished = (): void => void this.#live.delete(id);
    const start = { environmentId, type: 'auth', action: 'create_connection' } as const;
    const operation = new LiveOperation({ id, start, row, sink: this.#sink, clock, onFinished });
    this.#live.set(id, operation);
    return operation;
  }

  attach(id: string, secrets: readonly string[] = []): Operation {
    const live = this.#live.get(id);
    if (!live) return new OperationWriter(id, this.#sink, this.#options.clock, new SecretRedactor(secrets));
    live.redactSecrets(secrets);
    return {
      id,
      log: (message) => live.log(message),
      record: (sent) => live.record(sent),
      redactSecrets: (values) => live.redactSecrets(values),
      redact: (text) => live.redact(text),
      begin: () => {},
      measure: () => {},
      noteStack: () => {},
      finish: () => {},
    };
  }

  /** Ids are issued before rows are stored, so a missing operation may still be in the buffer. */
  override async findOperation(environmentId: number, id: string): ReturnType<LogQueries['findOperation']> {
    return (
      (await super.findOperation(environmentId, id)) ??
      (await this.#afterFlush(() => super.findOperation(environmentId, id)))
    );
  }

  override async listMessages(query: MessagesQuery): ReturnType<LogQueries['listMessages']> {
    return (await super.listMessages(query)) ?? (await this.#afterFlush(() => super.listMessages(query)));
  }

  async #afterFlush<T>(read: () => Promise<T>): Promise<T> {
    await this.flush();
    return read();
  }

  /** Writes what is buffered; never rejects. */
  async flush(): Promise<void> {
    await this.traffic.settle();
    await this.#writer.flush();
  }

  /** Removes what is beyond the retention of its environment; also done in the background once an hour. */
  removeExpired(): Promise<number> {
    return this.#retention.sweep();
  }

  /** Removes some operations of an environment with their messages; false when there are none. */
  removeOfEnvironment(tx: Transaction, environmentId: number): Promise<boolean> {
    return this.#retention.removeOfEnvironment(tx, environmentId);
  }

  /**
   * Ends operations that a crash left open, then starts the background work. (`start` starts an operation.) Those that
   * wait for a person whose link is still valid go on waiting.
   */
  async resume(): Promise<void> {
    const { database, clock, events, logger } = this.#options;
    const interrupted = await database.transaction(async (tx) => {
      const ended = await this.#operations.updateUnfinished(tx, {
        before: this.#startedAt,
        endedAt: clock.now(),
        expired: 'The link expired without a connection.',
        error: {
          name: 'Interrupted',
          type: 'interrupted',
          message:
            'Homeport stopped before this operation ended, so its outcome is unknown. What Homeport starts by itself, such as syncs and webhooks, runs again at the next start; look there before you run anything else again.',
        },
      });
      await this.#counts.add(tx, ended);
      return ended;
    });
    events.emit('logged', { operations: interrupted, messages: [] });
    if (interrupted.length > 0)
      logger.warn(
        { operations: interrupted.length },
        'Operations of the last run were left unfinished; they are marked as failed. `homeport logs --failed` lists them. Syncs and webhooks run again by themselves.',
      );
    await this.traffic.start();
    this.#retention.start();
  }

  /** Stores buffered entries and ends the background work. */
  async stop(): Promise<void> {
    await this.#retention.stop();
    await this.traffic.settle();
    await this.#writer.stop();
  }
}

/** Rows removed per transaction. */
const SLICE = 1_000;
/** Recordings removed per transaction: few, because they are large and are overwritten when they are removed. */
const RECORDING_SLICE = 25;
/** A sweep starts when this many bytes were written, so logs may exceed the limit by them. */
const SWEPT_AFTER_BYTES = 32 * 1_048_576;

/** How long and how much of an environment's log is kept. */
export interface LogLimits {
  /** Null means for ever. */
  logRetentionDays(environmentId: number): number | null;
  /** Approximate limit in bytes; the oldest are removed first. Null means no limit. */
  maxLogBytes(environmentId: number): number | null;
}

interface LogRetentionOptions {
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
class LogRetention {
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
      failureMessage: 'Old log entries could not be removed; trying again in an hour.',
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
    const bytes = limits.maxLogBytes(environmentId);
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
    await removeInSlices({ database, sliceSize: RECORDING_SLICE, isStopped }, (tx) =>
      recordings.removeOf(tx, slice, RECORDING_SLICE),
    );
    await removeInSlices({ database, sliceSize: SLICE, isStopped }, (tx) => messages.removeOf(tx, slice, SLICE));
    if (isStopped()) return false;
    await database.transaction((tx) => operations.remove(tx, slice));
    return true;
  }
}
