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

export interface LogWriterOptions {
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
}

/**
 * Writes buffered entries in bulk. A failing disk is reported once, and writing is tried again; callers are not
 * affected.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #buffer: LogBuffer;
  #timer: Timer | undefined;
  #draining: Promise<void> | undefined;
  #failures = 0;
  readonly #connections = new ConnectionOverviewsStore();
  /** Operations whose end user was searched. */
  readonly #named = new WeakSet<OperationRow>();

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#buffer = new LogBuffer(options.limits);
  }

  touch(row: OperationRow, sizeBytes: number): void {
    this.#buffer.touch(row, sizeBytes);
    this.#schedule();
  }

  push(message: BufferedMessage): void {
    this.#buffer.push(message);
    this.#schedule();
  }

  record(recording: RecordingInsert): void {
    this.#buffer.record(recording);
    this.#schedule();
  }

  /** Tries to write everything buffered until now; never rejects. */
  async flush(): Promise<void> {
    while (this.#draining) await this.#draining;
    await this.#drain();
  }

  #schedule(): void {
    if (this.#draining) return;
    if (this.#buffer.size >= this.#options.limits.batchEntries && this.#failures === 0) void this.#drain();
    else this.#timer ??= this.#options.clock.after(this.#delayMs(), () => void this.flush());
  }

  #delayMs(): number {
    return Math.min(FLUSH_EVERY_MS * 2 ** this.#failures, MAX_RETRY_MS);
  }

  #drain(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    // The caller may be in a transaction, to which the log does not belong.
    this.#draining = detached(() => this.#writeAll()).finally(() => {
      this.#draining = undefined;
      if (!this.#buffer.isEmpty) this.#schedule();
    });
    return this.#draining;
  }

  async #writeAll(): Promise<void> {
    while (!this.#buffer.isEmpty) {
      const batch = this.#buffer.takeBatch(this.#options.clock.now());
      if (!(await this.#write(batch))) return;
    }
  }

  async #write(batch: LogBatch): Promise<boolean> {
    const {
      database,
      operationsStore: operations,
      messagesStore: messages,
      logSizesStore: sizes,
      trafficRecordingsStore: recordings,
      counts,
      onStored,
    } = this.#options;
    // Rows change until they are written. A row that ends after this line is written again and counted then.
    const ended = batch.operations.flatMap(({ row }) => (row.endedAt === null ? [] : [row]));
    try {
      const { stored, added } = await database.transaction(async (tx) => {
        await this.#nameEndUsers(
          tx,
          batch.operations.map((operation) => operation.row),
        );
        await operations.upsert(
          tx,
          batch.operations.map((operation) => operation.row),
        );
        const inserted = await messages.insert(
          tx,
          batch.messages.map((message) => message.row),
        );
        const sizesOfBatch = measure(batch, inserted);
        await sizes.add(tx, sizesOfBatch);
        await counts.add(tx, ended);
        await recordings.insert(tx, batch.recordings);
        let surplus = batch.recordings.length > 0 ? SURPLUS_AT_ONCE : 0;
        while (surplus === SURPLUS_AT_ONCE) surplus = await recordings.removeSurplus(tx, SURPLUS_AT_ONCE);
        return { stored: inserted, added: sizesOfBatch };
      });
      this.#reportRecovery();
      onStored(
        batch.operations.map((operation) => operation.row),
        stored,
        added.reduce((total, { bytes }) => total + bytes, 0),
      );
      return true;
    } catch (error) {
      return this.#handleFailure(error, batch);
    }
  }

  /** Once for each operation whose caller does not know the end user: one query for a batch, not one per call. */
  async #nameEndUsers(tx: Transaction, rows: readonly OperationRow[]): Promise<void> {
    const unnamed = Map.groupBy(
      rows.filter(
        (row): row is OperationRow & LoggedConnection =>
          row.endUserId === null && row.connectionId !== null && row.integrationKey !== null && !this.#named.has(row),
      ),
      connectionKeyOf,
    );
    if (unnamed.size === 0) return;
    const names = [...unnamed.values()].flatMap(([first]) => {
      if (!first) return [];
      const { environmentId, integrationKey, connectionId } = first;
      return [{ environmentId, integrationKey, connectionId }];
    });
    const users = await this.#connections.listEndUsers(tx, names);
    for (const user of users)
      for (const row of unnamed.get(connectionKeyOf(user)) ?? []) {
        row.endUserId = user.id;
        row.endUserName ??= user.name;
      }
    for (const row of rows) this.#named.add(row);
  }

  /** A failure concerns only the log, because its callers have gone on. */
  #handleFailure(error: unknown, batch: LogBatch): boolean {
    const { logger } = this.#options;
    if (hasErrorCode(error, 'SQLITE_CONSTRAINT')) {
      // The same rows would fail each time and block everything behind them.
      logger.error(
        { err: error, operations: batch.operations.length },
        'Log entries were refused by the database and left out.',
      );
      return true;
    }
    if (this.#failures === 0) logger.error({ err: error }, 'The log cannot be stored; trying again.');
    this.#failures += 1;
    this.#buffer.putBack(batch);
    return false;
  }

  #reportRecovery(): void {
    const lost = this.#buffer.takeDroppedOperations();
    if (lost > 0) this.#options.logger.warn({ operations: lost }, 'Operations are missing from the log.');
    const unrecorded = this.#buffer.takeDroppedRecordings();
    if (unrecorded > 0)
      this.#options.logger.warn({ requests: unrecorded }, 'The bodies of requests came too fast to be recorded.');
    if (this.#failures > 0) this.#options.logger.info({}, 'The log is stored again.');
    this.#failures = 0;
  }

  async stop(): Promise<void> {
    await this.flush();
    this.#timer?.cancel();
    this.#timer = undefined;
  }
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
