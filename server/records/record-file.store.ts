import {
  closeHandle,
  exec,
  OPEN_READ_WRITE,
  openHandle,
  runStatement,
  type SqliteHandle,
} from '../platform/database/sqlite-handle.ts';

/** A record as an export contains it. */
export interface ExportedRecord {
  id: string;
  action: string;
  firstSeenAt: string;
  modifiedAt: string;
  deletedAt: string | null;
  cursor: string;
  /** Null after it was pruned. */
  payload: Record<string, unknown> | null;
}

const OWN_COLUMNS = ['id', 'action', 'first_seen_at', 'modified_at', 'deleted_at', 'cursor', 'payload'];
/** The limit of SQLite is 2,000 columns. */
const MAX_MEMBERS = 200;

/** A separate database file with one table of records, for people to download. */
export class RecordFileStore {
  readonly #db: SqliteHandle;
  readonly #insert: string;
  readonly #members: readonly string[];

  private constructor(db: SqliteHandle, insert: string, members: readonly string[]) {
    this.#db = db;
    this.#insert = insert;
    this.#members = members;
  }

  /**
   * Creates the table in an empty file. It has a column for each member of the `examples`; other members are in the
   * column `payload` only.
   */
  static async create(
    file: string,
    { table, examples }: { table: string; examples: readonly ExportedRecord[] },
  ): Promise<RecordFileStore> {
    const db = await openHandle(file, OPEN_READ_WRITE);
    try {
      const members = membersOf(examples);
      const columns = [...OWN_COLUMNS, ...members];
      // SQLite reserves names that begin with sqlite_.
      const name = quoted(/^sqlite_/i.test(table) ? `record_${table}` : table);
      await exec(db, 'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
      await exec(
        db,
        `CREATE TABLE ${name} (id TEXT PRIMARY KEY, action TEXT NOT NULL, first_seen_at TEXT NOT NULL,
           modified_at TEXT NOT NULL, deleted_at TEXT, cursor TEXT NOT NULL, payload TEXT
           ${members.map((member) => `, ${quoted(member)}`).join('')})`,
      );
      const values = columns.map((_, index) => `value ->> ${index}`);
      const insert = `INSERT OR REPLACE INTO ${name} (${columns.map(quoted).join(', ')})
        SELECT ${values.join(', ')} FROM json_each(?)`;
      return new RecordFileStore(db, insert, members);
    } catch (error) {
      await closeHandle(db);
      throw error;
    }
  }

  insert(records: readonly ExportedRecord[]): Promise<void> {
    const rows = records.map((one) => [
      ...[one.id, one.action, one.firstSeenAt, one.modifiedAt, one.deletedAt, one.cursor],
      one.payload && JSON.stringify(one.payload),
      ...this.#members.map((member) => one.payload?.[member] ?? null),
    ]);
    return runStatement(this.#db, this.#insert, [JSON.stringify(rows)]);
  }

  close(): Promise<void> {
    return closeHandle(this.#db);
  }
}

/** Column names ignore case, so the first spelling of a member gets the column. */
function membersOf(examples: readonly ExportedRecord[]): string[] {
  const taken = new Set(OWN_COLUMNS);
  const members: string[] = [];
  for (const name of new Set(examples.flatMap(({ payload }) => Object.keys(payload ?? {})))) {
    const key = name.toLowerCase();
    if (taken.has(key) || name.includes('\0') || members.length === MAX_MEMBERS) continue;
    taken.add(key);
    members.push(name);
  }
  return members;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
