import { AsyncLocalStorage } from 'node:async_hooks';
import sqlite3 from 'sqlite3';
import { hasErrorCode } from '../lib/error-code.ts';
import { hubStopping } from '../lib/homeport-error.ts';
import type { Logger } from '../lib/logger.ts';
import { Handle } from './handle.ts';
import { type QueuedTransaction, WriteQueue } from './write-queue.ts';

export { DiskFullError } from './handle.ts';

export type SqlValue = string | number | bigint | null | Buffer;
export type SqlParams = readonly SqlValue[];

/** A handle that can only read. Stores that read take this type, so that they cannot write by mistake. */
export interface ReadHandle {
  all<Row>(sql: string, params?: SqlParams): Promise<Row[]>;
  get<Row>(sql: string, params?: SqlParams): Promise<Row | undefined>;
}

export interface SnapshotReader extends ReadHandle {
  /** Reads of `work` see one state of the database. Not twice at the same time. */
  atOneMoment<T>(work: () => Promise<T>): Promise<T>;
}

export interface RunResult {
  /** Rows inserted, updated or deleted by the statement. */
  changes: number;
  /** `rowid` of the last insert. */
  lastId: number;
}

/** The handle of one running transaction; using it after the transaction ended throws. */
export interface Transaction extends ReadHandle {
  run(sql: string, params?: SqlParams): Promise<RunResult>;
  /** Runs several statements, separated by semicolons, in a fraction of the time that `run` takes for each. */
  exec(sql: string): Promise<void>;
  /**
   * Runs `callback` after the transaction is committed; never after a rollback. For dropping cached values. An error of
   * the callback is logged and ignored: the data is stored, and the other callbacks run.
   */
  afterCommit(callback: () => void): void;
}

export interface TransactionOptions {
  /** Waits until the commit is on the disk (`synchronous=FULL`): for credentials, which cannot be created again. */
  durable?: boolean;
  /**
   * May share one commit with other transactions that set this too, which saves disk writes. Until that commit, readers
   * and caches do not see what the earlier ones wrote. So the work must read through its own handle everything that
   * another shared transaction may have changed.
   */
  shared?: boolean;
}

export interface DatabaseOptions {
  file: string;
  /** Read-only handles beside the writer; a read goes to the least busy one. Default 2. */
  readers?: number;
  busyTimeoutMs?: number;
  /** Receives errors of callbacks that ran after a commit; without a logger such an error ends the program. */
  logger?: Pick<Logger, 'error'>;
}

/** A transaction from its begin to its end. */
interface OpenTransaction {
  isOpen: boolean;
  /** Statements in progress. */
  running: number;
  onIdle: (() => void) | undefined;
}

interface WriteGuard {
  beforeWrite(): void;
  afterDurableWrite(): void;
}

/** True for a violated UNIQUE or PRIMARY KEY constraint; `column` narrows it ("connections.connection_id"). */
export function isUniqueViolation(error: unknown, column?: string): boolean {
  if (!(error instanceof Error) || !hasErrorCode(error, 'SQLITE_CONSTRAINT')) return false;
  return error.message.includes('UNIQUE constraint failed') && (column === undefined || error.message.includes(column));
}

/** Of the file, mapped into the memory of the process by each handle that reads. */
const MAPPED_BYTES = 268_435_456;

/** A handle that cannot write, for another process too. */
export async function openReader(file: string, busyTimeoutMs = 5000, mappedBytes = MAPPED_BYTES): Promise<Handle> {
  const reader = await Handle.open(file, sqlite3.OPEN_READONLY);
  await reader.exec(
    `PRAGMA busy_timeout=${busyTimeoutMs}; PRAGMA query_only=ON; PRAGMA cache_size=-8000; PRAGMA mmap_size=${mappedBytes};`,
  );
  return reader;
}

/**
 * One SQLite file: one writer behind an in-process lock, several read-only handles (WAL lets them read
 * while the writer writes). A read sees the last commit, never half a transaction.
 */
export class Database {
  /** Reads of the last committed state. */
  readonly reader: ReadHandle;
  /** For reads of much of a table, as for a chart: all of them use one handle, so that the others need not wait for them. */
  readonly longReader: ReadHandle;
  readonly #writer: Handle;
  readonly #readers: Handle[];
  readonly #logger: Pick<Logger, 'error'> | undefined;
  /** The transaction that the running code belongs to. Work that was started without waiting may outlive it. */
  readonly #current = new AsyncLocalStorage<{ isOpen: boolean }>();
  readonly #queue: WriteQueue;
  #guard: WriteGuard | undefined;
  #isEnding = false;

  private constructor(writer: Handle, readers: Handle[], logger: Pick<Logger, 'error'> | undefined) {
    this.#writer = writer;
    this.#readers = readers;
    this.#logger = logger;
    this.#queue = new WriteQueue(writer, (callback) => this.#callBack(callback));
    const [forLong, ...others] = readers.toReversed() as [Handle, ...Handle[]];
    let longReads = 0;
    const pick = (): Handle =>
      (longReads > 0 && others.length > 0 ? others : readers).reduce((a, b) => (b.busy < a.busy ? b : a));
    const readLong = async <T>(read: (handle: Handle) => Promise<T>): Promise<T> => {
      longReads += 1;
      try {
        return await read(forLong);
      } finally {
        longReads -= 1;
      }
    };
    this.longReader = {
      all: (sql, params) => readLong((handle) => handle.all(sql, params)),
      get: (sql, params) => readLong((handle) => handle.get(sql, params)),
    };
    this.reader = {
      all: (sql, params) => pick().all(sql, params),
      get: (sql, params) => pick().get(sql, params),
    };
  }

  static async open(options: DatabaseOptions): Promise<Database> {
    const writer = await Handle.open(options.file, sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE);
    const timeout = `PRAGMA busy_timeout=${options.busyTimeoutMs ?? 5000};`;
    // Logs and metadata are not encrypted, so SQLite overwrites deleted content, also on pages that become free.
    await writer.exec(
      `${timeout} PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; ` +
        'PRAGMA cache_size=-16000; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=4000;',
    );
    const readers = await Promise.all(
      Array.from({ length: options.readers ?? 2 }, () => openReader(options.file, options.busyTimeoutMs)),
    );
    return new Database(writer, readers, options.logger);
  }

  /**
   * Runs `work` in one write transaction; all other transactions wait. Resolves to the result of `work` after the
   * commit; an error of `work` rolls back. Never await the network inside: all writes of the program wait meanwhile.
   * Rejects at once inside another transaction, because it would wait for that one for ever: pass its handle on, or
   * start the work with `detached` when the transaction does not wait for it.
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    this.#refuseNesting();
    return this.#transact(work, options);
  }

  /**
   * Runs statements outside any transaction: bookkeeping of migrations, VACUUM, checkpoints. Rejects inside a
   * transaction.
   */
  async maintenance(sql: string): Promise<void> {
    this.#refuseNesting();
    this.#refuseAtEnd();
    return this.#queue.alone(() => this.#writer.exec(sql));
  }

  /** Functions that throw when nothing may be stored; the second is called before the result of a durable write. */
  guard(guard: WriteGuard): void {
    this.#guard = guard;
  }

  /** Writes what the open handle holds to a new file, also when the file of the database is gone. */
  copyInto(target: string): Promise<void> {
    return this.#queue.alone(() => this.#writer.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`));
  }

  /** Whatever still writes then has to end before the database. */
  #refuseAtEnd(): void {
    if (!this.#isEnding) return;
    const error = hubStopping();
    this.#logger?.error({ err: error }, 'a write came after the database was closed; it was refused');
    throw error;
  }

  #refuseNesting(): void {
    if (this.#current.getStore()?.isOpen) {
      throw new Error('Transactions cannot be nested: pass the handle of the one that is open.');
    }
  }

  async #transact<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    this.#refuseAtEnd();
    this.#guard?.beforeWrite();
    const queued = this.#queue.add({ isDurable: options.durable ?? false, isShared: options.shared ?? false });
    await queued.begun.promise;
    const state: OpenTransaction = { isOpen: true, running: 0, onIdle: undefined };
    let value: T;
    try {
      value = await this.#current.run(state, () => work(this.#handleOf(queued, state)));
    } catch (error) {
      await endOfStatements(state);
      queued.worked.resolve({ error });
      await queued.ended.promise;
      throw error;
    }
    await endOfStatements(state);
    queued.worked.resolve(undefined);
    await queued.ended.promise;
    if (options.durable) this.#guard?.afterDurableWrite();
    return value;
  }

  #handleOf(queued: QueuedTransaction, state: OpenTransaction): Transaction {
    const end = (): void => {
      state.running -= 1;
      if (state.running === 0) state.onIdle?.();
    };
    const guarded =
      <Args extends unknown[], T>(step: (...args: Args) => Promise<T>) =>
      (...args: Args): Promise<T> => {
        if (!state.isOpen)
          return Promise.reject(new Error('The transaction has ended; its handle cannot be used any more.'));
        state.running += 1;
        const result = step(...args);
        result.then(end, end);
        return result;
      };
    const writer = this.#writer;
    return {
      all: guarded((sql, params) => writer.all(sql, params)) as Transaction['all'],
      get: guarded((sql, params) => writer.get(sql, params)) as Transaction['get'],
      run: guarded((sql, params) => writer.run(sql, params)),
      exec: guarded((sql) => writer.exec(sql)),
      afterCommit: (callback) => queued.afterCommit.push(callback),
    };
  }

  #callBack(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      const logger = this.#logger;
      if (logger) logger.error({ err: error }, 'A callback after a commit failed; the change itself is stored.');
      else
        queueMicrotask(() => {
          throw error;
        });
    }
  }

  /** Takes no more writes, waits for the running ones, then closes every handle. */
  async close(): Promise<void> {
    this.#isEnding = true;
    await this.#queue.idle();
    await Promise.all(this.#readers.map((reader) => reader.close()));
    await this.#writer.close();
  }
}

/**
 * Takes no more statements and waits for those that run: of several at the same time one may have failed. A statement
 * that begins behind the rollback would be stored on its own.
 */
async function endOfStatements(state: OpenTransaction): Promise<void> {
  state.isOpen = false;
  if (state.running > 0)
    await new Promise<void>((resolve) => {
      state.onIdle = resolve;
    });
}
