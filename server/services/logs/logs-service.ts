import type { KeyObject } from 'node:crypto';
import type { Database, Transaction } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { EventSink } from '../../lib/event-hub.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import { LogSizesStore } from '../../stores/log-sizes-store.ts';
import { MessagesStore } from '../../stores/messages-store.ts';
import { OperationsStore } from '../../stores/operations-store.ts';
import { TrafficRecordingsStore } from '../../stores/traffic-recordings-store.ts';
import { LiveOperation, type LogSink, OperationWriter } from './live-operation.ts';
import { BUFFER_LIMITS, type BufferLimits } from './log-buffer.ts';
import { LogCounts } from './log-counts.ts';
import { LogAnnouncer, type LogEvents } from './log-events.ts';
import { LogQueries, type MessagesQuery } from './log-queries.ts';
import { type LogLimits, LogRetention } from './log-retention.ts';
import { LogWriter } from './log-writer.ts';
import type { Operation, OperationLog, OperationStart, OperationType } from './operation.ts';
import { SecretRedactor } from './secret-redactor.ts';
import { TrafficRecordings } from './traffic-recordings.ts';

export type { LogEvents } from './log-events.ts';
export type { ActivityBucket } from './log-queries.ts';

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

/** The log: accepts entries without delaying callers, answers the dashboard's queries, removes old entries. */
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
    const announcer = new LogAnnouncer(options.events);
    this.#options = options;
    this.#operations = stores.operationsStore;
    this.#counts = stores.counts;
    this.#startedAt = options.clock.now();
    this.#writer = new LogWriter({
      ...options,
      ...stores,
      limits: { ...BUFFER_LIMITS, ...options.limits },
      onStored: (operations, messages, bytes) => {
        announcer.announce(operations, messages);
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
      failedIn: () => {},
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

  /** Ends operations that a crash left open, then starts the background work. (`start` starts an operation.) */
  async resume(): Promise<void> {
    const { database, clock, events, logger } = this.#options;
    const interrupted = await database.transaction(async (tx) => {
      const ended = await this.#operations.updateUnfinished(tx, {
        before: this.#startedAt,
        endedAt: clock.now(),
        error: {
          name: 'Interrupted',
          type: 'interrupted',
          message:
            'Homeport stopped before this operation ended, so its outcome is unknown. Run it again if it is still needed.',
        },
      });
      await this.#counts.add(tx, ended);
      return ended;
    });
    events.emit('logged', { operations: interrupted, messages: [] });
    if (interrupted.length > 0)
      logger.warn(
        { operations: interrupted.length },
        'Operations of the last start were left unfinished; they are marked failed.',
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
