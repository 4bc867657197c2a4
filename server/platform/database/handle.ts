import type sqlite3 from 'sqlite3';
import { hasErrorCode } from '../lib/error-code.ts';
import { hubStopping } from '../lib/homeport-error.ts';
import type { RunResult, SqlParams } from './database.ts';
import { closeHandle, openHandle } from './sqlite-handle.ts';

/** There is no space left for the database; the change is not stored. The message says what to do. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
  readonly code = 'SQLITE_FULL';

  constructor(cause: unknown) {
    super('The disk is full: nothing can be stored. Free some space on it, then try again.', { cause });
  }
}

/** Prepared statements kept per handle; the least recently used one is finalised beyond this number. */
const KEPT_STATEMENTS = 256;

/** One open handle of the file, with its prepared statements. */
export class Handle {
  readonly #db: sqlite3.Database;
  readonly #statements = new Map<string, sqlite3.Statement | Promise<sqlite3.Statement>>();
  #isClosed = false;
  #busy = 0;
  #onIdle: (() => void) | undefined;
  /** Also when its end failed: a later one would see this moment for ever. */
  #isMomentOpen = false;

  private constructor(db: sqlite3.Database) {
    this.#db = db;
  }

  /** Number of statements in progress. */
  get busy(): number {
    return this.#busy;
  }

  static async open(file: string, mode: number): Promise<Handle> {
    return new Handle(await openHandle(file, mode));
  }

  exec(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#db.exec(sql, (error) => (error ? reject(explained(error)) : resolve()));
    });
  }

  /**
   * Prepares a statement once and keeps it. Rejects when the text cannot be prepared; sqlite3 would otherwise never
   * call back.
   */
  #prepare(sql: string): sqlite3.Statement | Promise<sqlite3.Statement> {
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
    made.then(
      (statement) => {
        if (this.#statements.get(sql) === made) this.#statements.set(sql, statement);
      },
      () => this.#statements.delete(sql),
    );
    if (this.#statements.size > KEPT_STATEMENTS) this.#finalizeOldest();
    return made;
  }

  #finalizeOldest(): void {
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined) this.#finalize(oldest);
  }

  /** Finalises the statement after the calls that still use it; sqlite3 queues them per statement. */
  #finalize(sql: string): void {
    const statement = this.#statements.get(sql);
    this.#statements.delete(sql);
    if (statement === undefined) return;
    Promise.resolve(statement).then(
      (prepared) => prepared.finalize(),
      () => {
        // The statement was never prepared.
      },
    );
  }

  all<Row>(sql: string, params: SqlParams = []): Promise<Row[]> {
    return this.#use(sql, (statement, done) => statement.all<Row>(params, (error, rows) => done(error, rows)));
  }

  /**
   * Reads all rows and takes the first. A statement that stopped at its first row would hold its snapshot until it is
   * reset, and every read that begins on this handle meanwhile would see that old state.
   */
  get<Row>(sql: string, params: SqlParams = []): Promise<Row | undefined> {
    return this.#use(sql, (statement, done) => statement.all<Row>(params, (error, rows) => done(error, rows?.[0])));
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
    if (this.#isClosed) return Promise.reject(hubStopping());
    return new Promise((resolve, reject) => {
      this.#busy += 1;
      const end = (): void => {
        this.#busy -= 1;
        if (this.#busy === 0) this.#onIdle?.();
      };
      const fail = (error: unknown): void => {
        // A failed statement is prepared again next time; an unfinalised one would keep the file from closing.
        this.#finalize(sql);
        end();
        reject(explained(error));
      };
      const done = (error: Error | null, value: T): void => {
        if (error) return fail(error);
        end();
        resolve(value);
      };
      const begin = (statement: sqlite3.Statement): void => {
        try {
          work(statement, done);
        } catch (error) {
          fail(error);
        }
      };
      const statement = this.#prepare(sql);
      if (statement instanceof Promise) statement.then(begin, fail);
      else begin(statement);
    });
  }

  /** Reads of `work` see one state of the database. Not twice at the same time. */
  async atOneMoment<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isMomentOpen) await rollBackIfOpen(this);
    this.#isMomentOpen = true;
    await this.exec('BEGIN');
    try {
      return await work();
    } finally {
      await this.exec('COMMIT');
      this.#isMomentOpen = false;
    }
  }

  /** Waits for running statements; further statements reject. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#busy > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    const prepared = await Promise.all(this.#statements.values());
    this.#statements.clear();
    await Promise.all(prepared.map((statement) => new Promise<void>((resolve) => statement.finalize(() => resolve()))));
    await closeHandle(this.#db);
  }
}

/** Also where SQLite rolled back by itself, or no transaction was begun. */
export async function rollBackIfOpen(handle: Pick<Handle, 'exec'>): Promise<void> {
  try {
    await handle.exec('ROLLBACK');
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
  }
}

type StatementWork<T> = (statement: sqlite3.Statement, done: (error: Error | null, value: T) => void) => void;

function explained(error: unknown): unknown {
  return hasErrorCode(error, 'SQLITE_FULL') ? new DiskFullError(error) : error;
}
