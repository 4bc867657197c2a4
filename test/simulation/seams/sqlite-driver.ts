import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Failure, Machine } from '../machine.ts';

/**
 * The part of the package `sqlite3` that the hub uses, over Node's own SQLite: the same files, and the same callbacks,
 * but the machine decides when a statement runs, and whether it does.
 */
// biome-ignore lint/suspicious/noExplicitAny: the rows of any statement
type Callback = (this: any, error: Error | null, value?: any) => void;
type Row = Record<string, unknown>;

let machine: Machine;
/** Called before the hub's modules are loaded. */
export function setMachine(used: Machine): void {
  machine = used;
}

const OPEN_READONLY = 1;
const OPEN_READWRITE = 2;
const OPEN_CREATE = 4;
const OPEN_URI = 64;

class Database {
  readonly file: string;
  /** Without the form of an address. */
  readonly path: string;
  #db: DatabaseSync | undefined;
  /** Compiled once, when it runs first. */
  readonly #statements = new Map<string, StatementSync>();
  readonly #boot = machine.boot;
  readonly #isReadOnly: boolean;

  constructor(file: string, mode: number, callback: Callback) {
    this.file = file;
    const isUri = file.startsWith('file:');
    this.path = isUri ? decodeURIComponent(new URL(file).pathname) : file;
    this.#isReadOnly = (mode & OPEN_READWRITE) === 0;
    this.#later('open', callback, () => {
      if ((mode & OPEN_CREATE) === 0 && !existsSync(this.path))
        throw failure('SQLITE_CANTOPEN: unable to open database file', 'SQLITE_CANTOPEN');
      this.#db = new DatabaseSync(isUri ? new URL(file) : file, {
        readOnly: this.#isReadOnly,
        enableForeignKeyConstraints: false,
      });
      this.#boot.handles.add(this);
    });
  }

  exec(sql: string, callback: Callback): void {
    this.#later(sql, callback, () => this.#open.exec(sql));
  }

  prepare(sql: string, callback: Callback): Statement {
    const statement = new Statement(this, sql);
    this.#later('prepare', callback, () => void this.#open);
    return statement;
  }

  run(sql: string, params: readonly unknown[], callback: Callback): void {
    this.step(sql, callback, () => resultOf(this.statement(sql), params), true);
  }

  all(sql: string, params: readonly unknown[], callback: Callback): void {
    this.step(sql, callback, () => allOf(this.statement(sql), params));
  }

  close(callback: Callback): void {
    this.#later('close', callback, () => this.shut());
  }

  /** Ends the handle at once: at the end of a machine, too. */
  shut(): void {
    const db = this.#db;
    this.#db = undefined;
    this.#statements.clear();
    this.#boot.handles.delete(this);
    db?.close();
  }

  get #open(): DatabaseSync {
    if (!this.#db) throw failure('SQLITE_MISUSE: Database handle is closed', 'SQLITE_MISUSE');
    return this.#db;
  }

  statement(sql: string): StatementSync {
    const db = this.#open;
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = compiled(db, sql);
    // SQLite may do the work of a pragma while it compiles it.
    if (!sql.startsWith('PRAGMA')) this.#statements.set(sql, made);
    return made;
  }

  /** `isThis`: the result is handed over as `this`, as `run` does. */
  step(sql: string, callback: Callback | undefined, work: () => unknown, isThis = false): void {
    this.#later(sql, callback, work, isThis);
  }

  #later(label: string, callback: Callback | undefined, work: () => unknown, isThis = false): void {
    const boot = this.#boot;
    machine.later(this, () => {
      if (!boot.isOn) return;
      let value: unknown;
      let error: Error | null = null;
      try {
        value = boot.call('database', label, work, (how) => this.#broken(how));
        boot.onWrite(this.file, label);
      } catch (thrown) {
        error = explained(thrown);
      }
      if (!boot.isOn) return;
      if (isThis) callback?.call(value ?? {}, error);
      else callback?.(error, value);
    });
  }

  /** A full disk makes SQLite roll back by itself. */
  #broken(how: Failure): Error {
    if (how === 'busy') return failure('SQLITE_BUSY: database is locked', 'SQLITE_BUSY');
    if (how === 'error') return failure('SQLITE_IOERR: disk I/O error', 'SQLITE_IOERR');
    if (this.#db?.isTransaction) this.#db.exec('ROLLBACK');
    return failure('SQLITE_FULL: database or disk is full', 'SQLITE_FULL');
  }
}

class Statement {
  readonly #db: Database;
  readonly #sql: string;

  constructor(db: Database, sql: string) {
    this.#db = db;
    this.#sql = sql;
  }

  all(params: readonly unknown[], callback: Callback): void {
    this.#db.step(this.#sql, callback, () => allOf(this.#db.statement(this.#sql), params));
  }

  run(params: readonly unknown[], callback: Callback): void {
    this.#db.step(this.#sql, callback, () => resultOf(this.#db.statement(this.#sql), params), true);
  }

  finalize(callback?: () => void): void {
    if (callback) this.#db.step('finalize', callback, () => undefined);
  }
}

function resultOf(statement: StatementSync, params: readonly unknown[]): unknown {
  const { changes, lastInsertRowid } = statement.run(named(params));
  return { changes: Number(changes), lastID: Number(lastInsertRowid) };
}

function allOf(statement: StatementSync, params: readonly unknown[]): Row[] {
  return (statement.all(named(params)) as Row[]).map(plain);
}

/** An ordinary object whose bytes are a Buffer. */
function plain(row: Row): Row {
  const made: Row = {};
  for (const key in row) {
    const value = row[key];
    made[key] = value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
  }
  return made;
}

const MAX_INT32 = 2_147_483_647;

/** By number; the package binds integers of 32 bits as integers, and every other number as a float. */
function named(params: readonly unknown[]): Record<string, never> {
  const values: Record<string, unknown> = {};
  for (const [index, value] of params.entries()) {
    const isInteger = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_INT32;
    values[`?${index + 1}`] = isInteger ? BigInt(value) : typeof value === 'boolean' ? BigInt(value) : (value ?? null);
  }
  return values as Record<string, never>;
}

const numberedTexts = new Map<string, string>();

function compiled(db: DatabaseSync, sql: string): StatementSync {
  const text = numberedTexts.get(sql) ?? numbered(sql);
  numberedTexts.set(sql, text);
  const statement = db.prepare(text);
  statement.setAllowUnknownNamedParameters(true);
  return statement;
}

/** Gives each `?` its number, as SQLite counts: one more than the largest so far. Quoted texts stay as they are. */
function numbered(sql: string): string {
  let largest = 0;
  return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?(\d*)/g, (part, digits: string | undefined) => {
    if (digits === undefined) return part;
    const number = digits === '' ? largest + 1 : Number(digits);
    largest = Math.max(largest, number);
    return `?${number}`;
  });
}

const NAMES: Record<number, string> = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  26: 'SQLITE_NOTADB',
};

function explained(thrown: unknown): Error {
  const { errcode, message } = thrown as { errcode?: number; message: string };
  if (errcode === undefined) return thrown as Error;
  const code = NAMES[errcode & 0xff] ?? 'SQLITE_ERROR';
  return failure(`${code}: ${message}`, code);
}

export function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

export type SimulatedDatabase = Database;
export default { Database, Statement, OPEN_READONLY, OPEN_READWRITE, OPEN_CREATE, OPEN_URI };
