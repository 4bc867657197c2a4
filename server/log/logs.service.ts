import type { KeyObject } from 'node:crypto';
import type { Database, Transaction } from '../platform/database/database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import { LiveOperation, type LogSink, OperationWriter } from './live-operation.ts';
import { BUFFER_LIMITS, type BufferLimits } from './log-buffer.ts';
import { LogCounts } from './log-counts.ts';
import { LogEventEmitter, type LogEvents } from './log-events.ts';
import { createLogQueries, type LogQueries, type MessagesQuery } from './log-queries.ts';
import { LOG_SLOT_MS, LogSizesStore } from './log-sizes.store.ts';
import { LogWordsStore } from './log-words.store.ts';
import { createLogWriter } from './log-writer.ts';
import { MessagesStore } from './messages.store.ts';
import type { Operation, OperationStart, OperationType } from './operation.ts';
import { OperationsStore } from './operations.store.ts';
import { SecretRedactor } from './secret-redactor.ts';
import { DAY_MS, HOUR_MS } from './time-buckets.ts';
import { TrafficRecordingsStore } from './traffic-recordings.store.ts';
import { createTrafficRecordings } from './traffic-recordings.ts';

export type { LogEvents } from './log-events.ts';
export type { ActivityBucket } from './log-queries.ts';
export { recordingContext } from './traffic-recordings.ts';

export type LogsService = ReturnType<typeof createLogsService>;

/** The log: accepts entries without delaying callers, provides the dashboard's queries, removes old entries. */
export function createLogsService(use: {
  database: Pick<Database, 'transaction' | 'reader' | 'longReader'>;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  events: EventSink<LogEvents>;
  environments: LogLimits;
  /** Seals recorded bodies; throws `vault_locked` while the vault is locked. */
  sealingKey: () => KeyObject;
  limits?: Partial<BufferLimits>;
}) {
  const { database, clock, ids, logger, seenTime, events, environments, sealingKey } = use;
  const operationsStore = new OperationsStore();
  const messagesStore = new MessagesStore();
  const logSizesStore = new LogSizesStore();
  const trafficRecordingsStore = new TrafficRecordingsStore();
  const counts = new LogCounts(database.reader, clock);
  const queries = createLogQueries({
    reader: database.reader,
    longReader: database.longReader,
    operationsStore,
    messagesStore,
    wordsStore: new LogWordsStore(),
    counts,
    clock,
  });
  const emitter = new LogEventEmitter(events);
  const startedAt = clock.now();
  const live = new Map<string, LiveOperation>();
  const stores = { operationsStore, messagesStore, logSizesStore, trafficRecordingsStore, counts };
  const retention = createLogRetention({ database, ...stores, clock, logger, seenTime, limits: environments });
  const writer = createLogWriter({
    database,
    ...stores,
    clock,
    logger,
    limits: { ...BUFFER_LIMITS, ...use.limits },
    onStored: (operations, messages, bytes) => {
      emitter.emit(operations, messages);
      retention.note(bytes);
    },
  });
  const traffic = createTrafficRecordings({
    database,
    store: trafficRecordingsStore,
    ids,
    logger,
    sealingKey,
    push: writer.record,
    flush,
  });
  const sink: LogSink = { touch: writer.touch, push: writer.push, record: traffic.record };

  function start<T extends OperationType>(start: OperationStart<T>): Operation {
    const onFinished = (id: string): void => void live.delete(id);
    const operation = new LiveOperation({ id: ids.uuid(), start, sink, clock, onFinished });
    live.set(operation.id, operation);
    return operation;
  }

  /** An operation that the last run of the program left open and `resume` kept; undefined when it has ended. */
  async function reopen(environmentId: number, id: string): Promise<Operation | undefined> {
    const row = await operationsStore.find(database.reader, environmentId, id);
    if (!row || row.endedAt !== null) return undefined;
    const onFinished = (): void => void live.delete(id);
    const start = { environmentId, type: 'auth', action: 'create_connection' } as const;
    const operation = new LiveOperation({ id, start, row, sink, clock, onFinished });
    live.set(id, operation);
    return operation;
  }

  function attach(id: string, secrets: readonly string[] = []): Operation {
    const running = live.get(id);
    if (!running) return new OperationWriter(id, sink, clock, new SecretRedactor(secrets));
    running.redactSecrets(secrets);
    return {
      id,
      log: (message) => running.log(message),
      record: (sent) => running.record(sent),
      redactSecrets: (values) => running.redactSecrets(values),
      redact: (text) => running.redact(text),
      begin: () => {},
      measure: () => {},
      noteStack: () => {},
      finish: () => {},
    };
  }

  /** Ids are issued before rows are stored, so a missing operation may still be in the buffer. */
  async function findOperation(environmentId: number, id: string): ReturnType<LogQueries['findOperation']> {
    return (
      (await queries.findOperation(environmentId, id)) ??
      (await afterFlush(() => queries.findOperation(environmentId, id)))
    );
  }

  async function listMessages(query: MessagesQuery): ReturnType<LogQueries['listMessages']> {
    return (await queries.listMessages(query)) ?? (await afterFlush(() => queries.listMessages(query)));
  }

  async function afterFlush<T>(read: () => Promise<T>): Promise<T> {
    await flush();
    return read();
  }

  /** Writes what is buffered; never rejects. */
  async function flush(): Promise<void> {
    await traffic.settle();
    await writer.flush();
  }

  /**
   * Ends operations that a crash left open, then starts the background work. (`start` starts an operation.) Those that
   * wait for a person whose link is still valid go on waiting.
   */
  async function resume(): Promise<void> {
    const interrupted = await database.transaction(async (tx) => {
      const ended = await operationsStore.updateUnfinished(tx, {
        before: startedAt,
        endedAt: clock.now(),
        expired: 'The link expired without a connection.',
        error: {
          name: 'Interrupted',
          type: 'interrupted',
          message:
            'Homeport stopped before this operation ended, so its outcome is unknown. What Homeport starts by itself, such as syncs and webhooks, runs again at the next start; look there before you run anything else again.',
        },
      });
      await counts.add(tx, ended);
      return ended;
    });
    events.emit('logged', { operations: interrupted, messages: [] });
    if (interrupted.length > 0)
      logger.warn(
        { operations: interrupted.length },
        'Operations of the last run were left unfinished; they are marked as failed. `homeport logs --failed` lists them. Syncs and webhooks run again by themselves.',
      );
    await traffic.start();
    retention.start();
  }

  /** Stores buffered entries and ends the background work. */
  async function stop(): Promise<void> {
    await retention.stop();
    await traffic.settle();
    await writer.stop();
  }

  return {
    ...queries,
    traffic,
    start,
    reopen,
    attach,
    findOperation,
    listMessages,
    flush,
    /** Removes what is beyond the retention of its environment; also done in the background once an hour. */
    removeExpired: () => retention.sweep(),
    removeOfEnvironment: retention.removeOfEnvironment,
    resume,
    stop,
  };
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

/** Keeps logs within their days and bytes, once an hour and whenever much was written. */
function createLogRetention(use: {
  database: Pick<Database, 'transaction' | 'reader'>;
  operationsStore: OperationsStore;
  messagesStore: MessagesStore;
  logSizesStore: LogSizesStore;
  trafficRecordingsStore: TrafficRecordingsStore;
  counts: LogCounts;
  clock: Clock;
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  limits: LogLimits;
}) {
  const { clock, counts, logger } = use;
  let bytesSince = 0;
  let early: Promise<void> | undefined;
  let isStopped = false;
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: HOUR_MS,
    sweep: (isStopped) => sweep(isStopped),
    failureMessage: 'Old log entries could not be removed; trying again in an hour.',
  });

  function start(): void {
    sweeps.start();
  }

  /** Waits for the running slice; the next start does the rest. */
  async function stop(): Promise<void> {
    isStopped = true;
    await sweeps.stop();
    await early;
  }

  /** Counts stored bytes: a runaway function must not fill the disk between two hourly sweeps. */
  function note(bytes: number): void {
    bytesSince += bytes;
    if (bytesSince < SWEPT_AFTER_BYTES || early || isStopped) return;
    early = sweep(() => isStopped)
      .then(
        () => {},
        (error: unknown) => logger.error({ err: error }, 'Old log entries could not be removed.'),
      )
      .finally(() => {
        early = undefined;
      });
  }

  /** Removes everything beyond the limits; resolves to the number of operations removed. */
  async function sweep(isStopped = (): boolean => false): Promise<number> {
    const { database, operationsStore: operations, logSizesStore: sizes } = use;
    bytesSince = 0;
    if (!use.seenTime.isDoubtful()) await database.transaction((tx) => counts.removeOld(tx));
    let removed = 0;
    for (const environmentId of await operations.listEnvironmentIds(database.reader)) {
      const before = await cutoffOf(environmentId);
      if (before === undefined) continue;
      let slice: number[];
      do {
        slice = await operations.listExpired(database.reader, { environmentId, before, limit: SLICE });
        if (!(await remove(slice, isStopped))) return removed;
        removed += slice.length;
      } while (slice.length === SLICE);
      await database.transaction((tx) => sizes.removeBefore(tx, environmentId, before));
    }
    return removed;
  }

  /** Removes some operations with their messages, unfinished ones included; false when there are none. */
  async function removeOfEnvironment(tx: Transaction, environmentId: number): Promise<boolean> {
    const { operationsStore: operations, messagesStore: messages, trafficRecordingsStore: recordings } = use;
    const seqs = await operations.listOfEnvironment(tx, environmentId, SLICE);
    if (seqs.length === 0) return false;
    // Operations are removed after their recordings and messages.
    if ((await recordings.removeOf(tx, seqs, RECORDING_SLICE)) === RECORDING_SLICE) return true;
    if ((await messages.removeOf(tx, seqs, SLICE)) < SLICE) await operations.remove(tx, seqs);
    return true;
  }

  /** Entries created before this time are removed; undefined when none must be. */
  async function cutoffOf(environmentId: number): Promise<number | undefined> {
    const { clock, database, limits, logSizesStore: sizes, seenTime } = use;
    const days = limits.logRetentionDays(environmentId);
    const bytes = limits.maxLogBytes(environmentId);
    const byAge = days === null || seenTime.isDoubtful() ? undefined : clock.now() - days * DAY_MS;
    const bySize = bytes === null ? undefined : await sizes.findCutoff(database.reader, environmentId, bytes);
    if (bySize === undefined) return byAge;
    // Screens show the current slot, so it is kept until it is full.
    return Math.max(byAge ?? 0, Math.min(bySize, clock.now() - (clock.now() % LOG_SLOT_MS)));
  }

  /** False when the program stops meanwhile: then the operations stay until their messages are removed. */
  async function remove(slice: number[], isStopped: () => boolean): Promise<boolean> {
    const { database, operationsStore: operations, messagesStore: messages, trafficRecordingsStore: recordings } = use;
    if (slice.length === 0) return true;
    await removeInSlices({ database, sliceSize: RECORDING_SLICE, isStopped }, (tx) =>
      recordings.removeOf(tx, slice, RECORDING_SLICE),
    );
    await removeInSlices({ database, sliceSize: SLICE, isStopped }, (tx) => messages.removeOf(tx, slice, SLICE));
    if (isStopped()) return false;
    await database.transaction((tx) => operations.remove(tx, slice));
    return true;
  }

  return { start, stop, note, sweep, removeOfEnvironment };
}
