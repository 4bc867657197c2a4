import { AsyncLocalStorage } from 'node:async_hooks';
import sqlite3 from 'sqlite3';
import type { Logger } from '../lib/logger.ts';
import { closeHandle, openHandle } from './sqlite-handle.ts';

export type SqlValue = string | number | bigint | null | Buffer;
export type SqlParams = readonly SqlValue[];

/** A handle that can only read. Stores that read take this type, so that they cannot write by mistake. */
export interface ReadHandle {
  all<Row>(sql: string, params?: SqlParams): Promise<Row[]>;
  get<Row>(sql: string, params?: SqlParams): Promise<Row | undefined>;
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
  /**
   * Runs `callback` once the transaction is committed; never after a rollback. For dropping cached values. What it
   * throws is logged and changes nothing: the data is stored, the other callbacks run.
   */
  afterCommit(callback: () => void): void;
}

export interface TransactionOptions {
  /** Waits until the commit is on the disk (`synchronous=FULL`): for credentials, which nothing can recreate. */
  durable?: boolean;
}

export interface DatabaseOptions {
  file: string;
  /** Read-only handles beside the writer; reads go to the least busy one. */
  readers?: number;
  busyTimeoutMs?: number;
  /** Receives what callbacks after a commit threw; without one such an error ends the program. */
  logger?: Pick<Logger, 'error'>;
}

/** There is no space left for the database; what was to be written is not stored. Its message says what to do. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
  readonly code = 'SQLITE_FULL';

  constructor(cause: unknown) {
    super('The disk is full: nothing can be stored. Free some space on it, then try again.', { cause });
  }
}

/** Prepared statements kept per handle; the least recently used one is finalised beyond this number. */
const KEPT_STATEMENTS = 256;

class Handle {
  readonly #db: sqlite3.Database;
  readonly #statements = new Map<string, Promise<sqlite3.Statement>>();
  #isClosed = false;
  readonly #running = new Set<Promise<unknown>>();

  private constructor(db: sqlite3.Database) {
    this.#db = db;
  }

  /** Statements that are under way. */
  get busy(): number {
    return this.#running.size;
  }

  static async open(file: string, mode: number): Promise<Handle> {
    return new Handle(await openHandle(file, mode));
  }

  exec(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#db.exec(sql, (error) => (error ? reject(explained(error)) : resolve()));
    });
  }

  /** Prepared once and kept; a text that cannot be prepared rejects, it would otherwise never call back. */
  #prepare(sql: string): Promise<sqlite3.Statement> {
    const known = this.#statements.get(sql);
    if (known) {
      this.#statements.delete(sql);
      this.#statements.set(sql, known);
      return known;
    }
    const made = new Promise<sqlite3.Statement>((resolve, reject) => {
      const statement = this.#db.prepare(sql, (error: Error | null) => (error ? reject(error) : resolve(statement)));
    });
    this.#statements.set(sql, made);
    made.catch(() => this.#statements.delete(sql));
    if (this.#statements.size > KEPT_STATEMENTS) this.#forgetOldest();
    return made;
  }

  #forgetOldest(): void {
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined) this.#forget(oldest);
  }

  /** Waits in the statement's own queue behind what still uses it. */
  #forget(sql: string): void {
    const statement = this.#statements.get(sql);
    this.#statements.delete(sql);
    statement?.then(
      (prepared) => prepared.finalize(),
      () => {
        // It never existed.
      },
    );
  }

  all<Row>(sql: string, params: SqlParams = []): Promise<Row[]> {
    return this.#use(sql, (statement, done) => statement.all<Row>(params, (error, rows) => done(error, rows)));
  }

  /**
   * Reads to the end, in one step of the handle: a statement that stopped at its first row would hold its snapshot
   * until it is reset, and every read that begins on this handle meanwhile would see that old state.
   */
  async get<Row>(sql: string, params: SqlParams = []): Promise<Row | undefined> {
    const [row] = await this.all<Row>(sql, params);
    return row;
  }

  run(sql: string, params: SqlParams = []): Promise<RunResult> {
    return this.#use(sql, (statement, done) =>
      statement.run(params, function onRun(error) {
        done(error, { changes: this?.changes ?? 0, lastId: this?.lastID ?? 0 });
      }),
    );
  }

  /** A statement that begins while the file is being closed would keep it open. */
  #use<T>(sql: string, work: StatementWork<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error('The database is closed.'));
    const running = this.#execute(sql, work);
    this.#running.add(running);
    const forget = (): void => void this.#running.delete(running);
    running.then(forget, forget);
    return running;
  }

  async #execute<T>(sql: string, work: StatementWork<T>): Promise<T> {
    try {
      const statement = await this.#prepare(sql);
      return await new Promise<T>((resolve, reject) => {
        work(statement, (error, value) => (error ? reject(error) : resolve(value)));
      });
    } catch (error) {
      // A failed statement is prepared again next time; left unfinalised it would keep the file from closing.
      this.#forget(sql);
      throw explained(error);
    }
  }

  /** Statements that run already are waited for; further ones reject. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    const prepared = await Promise.all(this.#statements.values());
    this.#statements.clear();
    await Promise.all(prepared.map((statement) => new Promise<void>((resolve) => statement.finalize(() => resolve()))));
    await closeHandle(this.#db);
  }
}

type StatementWork<T> = (statement: sqlite3.Statement, done: (error: Error | null, value: T) => void) => void;

function explained(error: unknown): unknown {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL' ? new DiskFullError(error) : error;
}

/** True for a violated UNIQUE or PRIMARY KEY constraint; `column` narrows it ("connections.connection_id"). */
export function isUniqueViolation(error: unknown, column?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'SQLITE_CONSTRAINT') return false;
  return error.message.includes('UNIQUE constraint failed') && (column === undefined || error.message.includes(column));
}

/**
 * One SQLite file: one writer behind an in-process lock, several read-only handles (WAL lets them read
 * while the writer writes). A read sees the last commit, never half a transaction.
 */
export class Database {
  /** Reads of the last committed state. */
  readonly reader: ReadHandle;
  readonly #writer: Handle;
  readonly #readers: Handle[];
  readonly #logger: Pick<Logger, 'error'> | undefined;
  /** The transaction that the running code belongs to; work it started without waiting may outlive it. */
  readonly #current = new AsyncLocalStorage<{ isOpen: boolean }>();
  #queue: Promise<unknown> = Promise.resolve();
  #insideTransaction = false;
  /** As the writer was last told; undefined while it is being told. */
  #synchronous: 'NORMAL' | 'FULL' | undefined = 'NORMAL';

  private constructor(writer: Handle, readers: Handle[], logger: Pick<Logger, 'error'> | undefined) {
    this.#writer = writer;
    this.#readers = readers;
    this.#logger = logger;
    const pick = (): Handle => this.#readers.reduce((a, b) => (b.busy < a.busy ? b : a));
    this.reader = {
      all: (sql, params) => pick().all(sql, params),
      get: (sql, params) => pick().get(sql, params),
    };
  }

  static async open(options: DatabaseOptions): Promise<Database> {
    const writer = await Handle.open(options.file, sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE);
    const timeout = `PRAGMA busy_timeout=${options.busyTimeoutMs ?? 5000};`;
    // Logs and metadata lie in clear: what is deleted is overwritten, also on pages that become free.
    await writer.exec(
      `${timeout} PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; ` +
        'PRAGMA cache_size=-16000; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=4000;',
    );
    const readers = await Promise.all(
      Array.from({ length: options.readers ?? 2 }, async () => {
        const reader = await Handle.open(options.file, sqlite3.OPEN_READONLY);
        await reader.exec(`${timeout} PRAGMA query_only=ON; PRAGMA cache_size=-8000; PRAGMA mmap_size=268435456;`);
        return reader;
      }),
    );
    return new Database(writer, readers, options.logger);
  }

  /**
   * Runs `work` in one write transaction; every other transaction waits. Resolves to what `work` returns once it is
   * committed; a throw rolls back. Never await the network inside: all writes of the program stand still meanwhile.
   * Throws at once inside another transaction, which would wait for this one without end: pass its handle on, or start
   * the work with `detached` when the transaction does not wait for it.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.#inTurn(() => this.#transact(work, options));
  }

  /** Runs statements outside any transaction: migrations' own bookkeeping, VACUUM, checkpoints. Throws inside one. */
  maintenance(sql: string): Promise<void> {
    return this.#inTurn(() => this.#writer.exec(sql));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#current.getStore()?.isOpen) {
      throw new Error('Transactions cannot be nested: pass the handle of the one that is open.');
    }
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #transact<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    const state = { isOpen: true };
    const committed: Array<() => void> = [];
    const guard = (): Handle => {
      if (!state.isOpen) throw new Error('The transaction has ended; its handle cannot be used any more.');
      return this.#writer;
    };
    const tx: Transaction = {
      all: async (sql, params) => guard().all(sql, params),
      get: async (sql, params) => guard().get(sql, params),
      run: async (sql, params) => guard().run(sql, params),
      afterCommit: (callback) => committed.push(callback),
    };
    this.#insideTransaction = true;
    try {
      await this.#begin(options.durable ? 'FULL' : 'NORMAL');
      let value: T;
      try {
        value = await this.#current.run(state, () => work(tx));
        state.isOpen = false;
        await this.#writer.run('COMMIT');
      } catch (error) {
        state.isOpen = false;
        // SQLite itself has rolled back what it cannot go on with (a full disk); its first error is the one that counts.
        await this.#writer.run('ROLLBACK').catch(() => {});
        throw error;
      }
      for (const callback of committed) this.#callBack(callback);
      return value;
    } finally {
      this.#insideTransaction = false;
    }
  }

  /** One step of the handle, also when the last transaction was of the other kind. */
  async #begin(synchronous: 'NORMAL' | 'FULL'): Promise<void> {
    if (this.#synchronous === synchronous) {
      await this.#writer.run('BEGIN IMMEDIATE');
      return;
    }
    // Not known when this fails half-way: the next transaction says it again.
    this.#synchronous = undefined;
    await this.#writer.exec(`PRAGMA synchronous=${synchronous}; BEGIN IMMEDIATE`);
    this.#synchronous = synchronous;
  }

  #callBack(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      const logger = this.#logger;
      if (logger)
        logger.error({ err: error }, 'What was to follow a stored change failed; the change itself is stored.');
      else
        queueMicrotask(() => {
          throw error;
        });
    }
  }

  /** Waits for the running transaction, then closes every handle. */
  async close(): Promise<void> {
    await this.#queue;
    if (this.#insideTransaction) throw new Error('A transaction is still open.');
    await Promise.all(this.#readers.map((reader) => reader.close()));
    await this.#writer.close();
  }
}
