import { ConnectionOverviewsStore, type LoggedConnection } from '../connections/connection-overviews.store.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { detached } from '../platform/lib/detached.ts';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { type BufferedMessage, type BufferLimits, type LogBatch, LogBuffer } from './log-buffer.ts';
import type { LogCounts } from './log-counts.ts';
import type { LogSize, LogSizesStore } from './log-sizes.store.ts';
import type { MessagesStore, StoredMessage } from './messages.store.ts';
import type { OperationRow, OperationsStore } from './operations.store.ts';
import type { RecordingInsert, TrafficRecordingsStore } from './traffic-recordings.store.ts';

const FLUSH_EVERY_MS = 100;
const MAX_RETRY_MS = 30_000;
/** Recordings that are checked together for removal, because several small ones may make room for a large one. */
const SURPLUS_AT_ONCE = 500;

/**
 * Writes buffered entries in bulk. A failing disk is reported once, and writing is tried again; callers are not
 * affected.
 */
export function createLogWriter(use: {
  database: Pick<Database, 'transaction'>;
  operationsStore: OperationsStore;
  messagesStore: MessagesStore;
  logSizesStore: LogSizesStore;
  trafficRecordingsStore: TrafficRecordingsStore;
  counts: LogCounts;
  clock: Clock;
  logger: Logger;
  limits: BufferLimits;
  /** Called after each commit with the stored entries and their approximate size in bytes. */
  onStored(operations: OperationRow[], messages: StoredMessage[], bytes: number): void;
}) {
  const { database, operationsStore, messagesStore, logSizesStore, trafficRecordingsStore, counts, clock } = use;
  const { logger, limits, onStored } = use;
  let timer: Timer | undefined;
  let draining: Promise<void> | undefined;
  let failures = 0;
  const connections = new ConnectionOverviewsStore();
  /** Operations whose end user was searched. */
  const named = new WeakSet<OperationRow>();
  const buffer = new LogBuffer(limits);

  function touch(row: OperationRow, sizeBytes: number): void {
    buffer.touch(row, sizeBytes);
    schedule();
  }

  function push(message: BufferedMessage): void {
    buffer.push(message);
    schedule();
  }

  function record(recording: RecordingInsert): void {
    buffer.record(recording);
    schedule();
  }

  /** Tries to write everything buffered until now; never rejects. */
  async function flush(): Promise<void> {
    while (draining) await draining;
    await drain(() => !buffer.isEmpty);
  }

  function schedule(): void {
    if (draining) return;
    if (buffer.size >= limits.batchEntries && failures === 0) void drainWaiting();
    else timer ??= clock.after(delayMs(), () => void drainWaiting());
  }

  /** Entries that come meanwhile wait for the next time: a batch costs nearly the same with one of them as with many. */
  function drainWaiting(): Promise<void> {
    let waiting = Math.max(buffer.size, 1);
    return drain((written) => {
      waiting -= written;
      return waiting > 0 && !buffer.isEmpty;
    });
  }

  function delayMs(): number {
    return Math.min(FLUSH_EVERY_MS * 2 ** failures, MAX_RETRY_MS);
  }

  function drain(hasMore: (written: number) => boolean): Promise<void> {
    timer?.cancel();
    timer = undefined;
    // The caller may be in a transaction, to which the log does not belong.
    draining = detached(() => writeWhile(hasMore)).finally(() => {
      draining = undefined;
      if (!buffer.isEmpty) schedule();
    });
    return draining;
  }

  /** `hasMore` is asked after each batch, with the number of its entries. */
  async function writeWhile(hasMore: (written: number) => boolean): Promise<void> {
    for (let written = 0; hasMore(written); ) {
      const batch = buffer.takeBatch(clock.now());
      if (!(await write(batch))) return;
      written = batch.operations.length + batch.messages.length + batch.recordings.length;
    }
  }

  async function write(batch: LogBatch): Promise<boolean> {
    // Rows change until they are written. A row that ends after this line is written again and counted then.
    const ended = batch.operations.flatMap(({ row }) => (row.endedAt === null ? [] : [row]));
    try {
      const { stored, added } = await database.transaction(async (tx) => {
        await nameEndUsers(
          tx,
          batch.operations.map((operation) => operation.row),
        );
        await operationsStore.upsert(
          tx,
          batch.operations.map((operation) => operation.row),
        );
        const inserted = await messagesStore.insert(
          tx,
          batch.messages.map((message) => message.row),
        );
        const sizesOfBatch = measure(batch, inserted);
        await logSizesStore.add(tx, sizesOfBatch);
        await counts.add(tx, ended);
        await trafficRecordingsStore.insert(tx, batch.recordings);
        let surplus = batch.recordings.length > 0 ? SURPLUS_AT_ONCE : 0;
        while (surplus === SURPLUS_AT_ONCE) surplus = await trafficRecordingsStore.removeSurplus(tx, SURPLUS_AT_ONCE);
        return { stored: inserted, added: sizesOfBatch };
      });
      reportRecovery();
      onStored(
        batch.operations.map((operation) => operation.row),
        stored,
        added.reduce((total, { bytes }) => total + bytes, 0),
      );
      return true;
    } catch (error) {
      return handleFailure(error, batch);
    }
  }

  /** Once for each operation whose caller does not know the end user: one query for a batch, not one per call. */
  async function nameEndUsers(tx: Transaction, rows: readonly OperationRow[]): Promise<void> {
    const unnamed = Map.groupBy(
      rows.filter(
        (row): row is OperationRow & LoggedConnection =>
          row.endUserId === null && row.connectionId !== null && row.integrationKey !== null && !named.has(row),
      ),
      connectionKeyOf,
    );
    if (unnamed.size === 0) return;
    const names = [...unnamed.values()].flatMap(([first]) => {
      if (!first) return [];
      const { environmentId, integrationKey, connectionId } = first;
      return [{ environmentId, integrationKey, connectionId }];
    });
    const users = await connections.listEndUsers(tx, names);
    for (const user of users)
      for (const row of unnamed.get(connectionKeyOf(user)) ?? []) {
        row.endUserId = user.id;
        row.endUserName ??= user.name;
      }
    for (const row of rows) named.add(row);
  }

  /** A failure concerns only the log, because its callers have gone on. */
  function handleFailure(error: unknown, batch: LogBatch): boolean {
    if (hasErrorCode(error, 'SQLITE_CONSTRAINT')) {
      // The same rows would fail each time and block everything behind them.
      logger.error(
        { err: error, operations: batch.operations.length },
        'Log entries were refused by the database and left out.',
      );
      return true;
    }
    if (failures === 0) logger.error({ err: error }, 'The log cannot be stored; trying again.');
    failures += 1;
    buffer.putBack(batch);
    return false;
  }

  function reportRecovery(): void {
    const lost = buffer.takeDroppedOperations();
    if (lost > 0) logger.warn({ operations: lost }, 'Operations are missing from the log.');
    const unrecorded = buffer.takeDroppedRecordings();
    if (unrecorded > 0) logger.warn({ requests: unrecorded }, 'The bodies of requests came too fast to be recorded.');
    if (failures > 0) logger.info({}, 'The log is stored again.');
    failures = 0;
  }

  async function stop(): Promise<void> {
    await flush();
    timer?.cancel();
    timer = undefined;
  }

  return { touch, push, record, flush, stop };
}

const connectionKeyOf = ({ environmentId, integrationKey, connectionId }: LoggedConnection): string =>
  `${environmentId}\n${integrationKey}\n${connectionId}`;

/** An operation is written several times and counted when it has ended; a message that was left out does not count. */
function measure({ operations, messages }: LogBatch, stored: readonly StoredMessage[]): LogSize[] {
  const environments = new Map(stored.map(({ operationId, environmentId }) => [operationId, environmentId]));
  return [
    ...operations.flatMap(({ row: { environmentId, createdAt, endedAt }, sizeBytes }) =>
      endedAt === null ? [] : { environmentId, createdAt, bytes: sizeBytes },
    ),
    ...messages.flatMap(({ row: { operationId, createdAt }, sizeBytes }) => {
      const environmentId = environments.get(operationId);
      return environmentId === undefined ? [] : { environmentId, createdAt, bytes: sizeBytes };
    }),
  ];
}
