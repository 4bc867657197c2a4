import type { DeliveredStream } from './destinations.store.ts';

/** A connection to the PostgreSQL server of a destination, inside or outside of a transaction. */
export interface PgHandle {
  query<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
}

/** A column that was made for a member of a model. */
export interface PgColumn {
  member: string;
  name: string;
  /** As `format_type` names it. */
  type: string;
}

export interface PgTable {
  integrationKey: string;
  model: string;
  table: string;
  columns: PgColumn[];
}

/** Columns of every table of records beside the model's own, with their types. */
export const META_COLUMNS = [
  ['_key', 'uuid', 'uuid'],
  ['_id', 'text', 'text'],
  ['_connection', 'text', 'text'],
  ['_variant', 'text', 'text'],
  ['_end_user', 'text', 'text'],
  ['_tags', 'jsonb', 'jsonb'],
  ['_first_seen', 'timestamptz', 'timestamp with time zone'],
  ['_last_changed', 'timestamptz', 'timestamp with time zone'],
  ['_deleted', 'boolean', 'boolean'],
  ['_stream', 'bigint', 'bigint'],
  ['_record', 'jsonb', 'jsonb'],
] as const;

const MARKS = ['_end_user', '_tags', '_first_seen', '_last_changed', '_deleted', '_stream'] as const;

const STAMP = `(timestamptz 'epoch' + $1::bigint * interval '1 microsecond')`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Statements in the schema of one destination. Its own tables begin with `_homeport`. */
export class PgTargetStore {
  readonly #schema: string;

  constructor({ schema }: { schema: string }) {
    this.#schema = schema;
  }

  #name(table: string): string {
    return `${quoted(this.#schema)}.${quoted(table)}`;
  }

  async begin(db: PgHandle): Promise<void> {
    await db.query('BEGIN');
  }

  async commit(db: PgHandle): Promise<void> {
    await db.query('COMMIT');
  }

  async rollback(db: PgHandle): Promise<void> {
    await db.query('ROLLBACK');
  }

  /** Limits of the session: the server ends what a lost connection left behind. */
  async setLimits(db: PgHandle, limits: { statementMs: number; lockMs: number; idleMs: number }): Promise<void> {
    await db.query(
      `SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
         set_config('idle_in_transaction_session_timeout', $3, false), set_config('TimeZone', 'UTC', false),
         set_config('client_encoding', 'UTF8', false)`,
      [String(limits.statementMs), String(limits.lockMs), String(limits.idleMs)],
    );
  }

  async findVersion(db: PgHandle): Promise<{ version: string; encoding: string; hasSchema: boolean }> {
    const [row] = await db.query<{ version: string; encoding: string; schema: string | null }>(
      `SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
         (SELECT nspname FROM pg_namespace WHERE nspname = $1) AS schema`,
      [this.#schema],
    );
    return { version: row?.version ?? '', encoding: row?.encoding ?? '', hasSchema: Boolean(row?.schema) };
  }

  /** A user without the right to make schemas may use one that is there. */
  async createSchema(db: PgHandle): Promise<void> {
    await db.query(`CREATE SCHEMA ${quoted(this.#schema)}`);
  }

  async createOwnTables(db: PgHandle): Promise<void> {
    await db.query(
      `CREATE TABLE IF NOT EXISTS ${this.#name('_homeport')} (
         only_row integer PRIMARY KEY DEFAULT 1 CHECK (only_row = 1), destination text NOT NULL, generation bigint NOT NULL,
         mark text)`,
    );
    // Earlier versions made it without.
    if ((await this.findColumns(db, '_homeport'))?.has('mark') === false)
      await this.addColumns(db, '_homeport', [{ member: '', name: 'mark', type: 'text' }]);
    await db.query(
      `CREATE TABLE IF NOT EXISTS ${this.#name('_homeport_streams')} (
         stream bigint PRIMARY KEY, integration text NOT NULL, model text NOT NULL, connection text NOT NULL,
         variant text NOT NULL, cursor bigint NOT NULL)`,
    );
    await db.query(
      `CREATE TABLE IF NOT EXISTS ${this.#name('_homeport_tables')} (
         integration text, model text, table_name text NOT NULL UNIQUE, columns jsonb NOT NULL,
         PRIMARY KEY (integration, model))`,
    );
  }

  /** The destination that this schema belongs to; the first one that asks gets it. */
  async takeOwner(
    db: PgHandle,
    owner: { destination: string; generation: number },
  ): Promise<{ destination: string; generation: number; mark: string | null }> {
    await db.query(
      `INSERT INTO ${this.#name('_homeport')} (destination, generation) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      [owner.destination, owner.generation],
    );
    const [row] = await db.query<{ destination: string; generation: string; mark: string | null }>(
      `SELECT destination, generation, mark FROM ${this.#name('_homeport')} FOR UPDATE`,
    );
    return {
      destination: row?.destination ?? '',
      generation: Number(row?.generation ?? 0),
      mark: row?.mark ?? null,
    };
  }

  async setMark(db: PgHandle, mark: string): Promise<void> {
    await db.query(`UPDATE ${this.#name('_homeport')} SET mark = $1`, [mark]);
  }

  async setGeneration(db: PgHandle, generation: number): Promise<void> {
    await db.query(`UPDATE ${this.#name('_homeport')} SET generation = $1`, [generation]);
  }

  /** Sets cursors back to just before a stamp. */
  async setBack(db: PgHandle, from: number): Promise<void> {
    await db.query(`UPDATE ${this.#name('_homeport_streams')} SET cursor = LEAST(cursor, $1)`, [Math.max(0, from - 1)]);
  }

  /** From now on the tables count as they are. */
  async forgetTables(db: PgHandle): Promise<void> {
    await db.query(`DELETE FROM ${this.#name('_homeport_tables')}`);
  }

  async listStreams(db: PgHandle): Promise<DeliveredStream[]> {
    const rows = await db.query<Record<string, string>>(
      `SELECT stream, integration, model, connection, variant, cursor FROM ${this.#name('_homeport_streams')}`,
    );
    return rows.map((row) => ({
      streamId: Number(row['stream']),
      integrationKey: row['integration'] ?? '',
      model: row['model'] ?? '',
      connectionId: row['connection'] ?? '',
      variant: row['variant'] ?? '',
      cursor: Number(row['cursor']),
    }));
  }

  async insertStreams(db: PgHandle, streams: readonly Omit<DeliveredStream, 'cursor'>[]): Promise<void> {
    await db.query(
      `INSERT INTO ${this.#name('_homeport_streams')} (stream, integration, model, connection, variant, cursor)
       SELECT "streamId", "integrationKey", model, "connectionId", variant, 0 FROM json_to_recordset($1::json)
         AS x("streamId" bigint, "integrationKey" text, model text, "connectionId" text, variant text)
       ON CONFLICT (stream) DO NOTHING`,
      [JSON.stringify(streams)],
    );
  }

  /** Their cursors, which only this transaction may move until it ends. */
  async lockCursors(db: PgHandle, streamIds: readonly number[]): Promise<Map<number, number>> {
    const rows = await db.query<{ stream: string; cursor: string }>(
      `SELECT stream, cursor FROM ${this.#name('_homeport_streams')} WHERE stream = ANY($1::bigint[])
       ORDER BY stream FOR UPDATE`,
      [streamIds],
    );
    return new Map(rows.map(({ stream, cursor }) => [Number(stream), Number(cursor)]));
  }

  async setCursors(db: PgHandle, cursors: ReadonlyArray<{ stream: number; cursor: number }>): Promise<void> {
    await db.query(
      `UPDATE ${this.#name('_homeport_streams')} AS s SET cursor = x.cursor
       FROM json_to_recordset($1::json) AS x(stream bigint, cursor bigint) WHERE s.stream = x.stream`,
      [JSON.stringify(cursors)],
    );
  }

  async removeStreams(db: PgHandle, streamIds: readonly number[]): Promise<void> {
    await db.query(`DELETE FROM ${this.#name('_homeport_streams')} WHERE stream = ANY($1::bigint[])`, [streamIds]);
  }

  async listTables(db: PgHandle): Promise<PgTable[]> {
    return db.query<PgTable>(
      `SELECT integration AS "integrationKey", model, table_name AS "table", columns
       FROM ${this.#name('_homeport_tables')}`,
    );
  }

  async upsertTable(db: PgHandle, { integrationKey, model, table, columns }: PgTable): Promise<void> {
    await db.query(
      `INSERT INTO ${this.#name('_homeport_tables')} (integration, model, table_name, columns)
       VALUES ($1, $2, $3, $4::jsonb)
       ON CONFLICT (integration, model) DO UPDATE SET table_name = excluded.table_name, columns = excluded.columns`,
      [integrationKey, model, table, JSON.stringify(columns)],
    );
  }

  /** Columns of a table or view as they are, by name; undefined when there is none of that name. */
  async findColumns(db: PgHandle, table: string): Promise<Map<string, string> | undefined> {
    const rows = await db.query<{ name: string | null; type: string | null }>(
      `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
      [this.#schema, table],
    );
    if (rows.length === 0) return undefined;
    return new Map(rows.flatMap(({ name, type }) => (name === null ? [] : [[name, type ?? '']])));
  }

  async createTable(db: PgHandle, table: string): Promise<void> {
    const columns = META_COLUMNS.map(([name, type]) => `${quoted(name)} ${type}`).join(', ');
    await db.query(`CREATE TABLE ${this.#name(table)} (${columns}, PRIMARY KEY ("_key"))`);
  }

  async addColumns(db: PgHandle, table: string, columns: readonly PgColumn[]): Promise<void> {
    const added = columns.map(({ name, type }) => `ADD COLUMN ${quoted(name)} ${type}`);
    await db.query(`ALTER TABLE ${this.#name(table)} ${added.join(', ')}`);
  }

  /**
   * Inserts or replaces rows: a JSON list of objects with the members `_…` of the table and `c0`, `c1`, … for `columns`.
   * Without `columns`, rows that are there keep their content, and get their marks only.
   */
  async upsert(
    db: PgHandle,
    table: string,
    { columns, rows, keepsContent }: { columns: readonly PgColumn[]; rows: string; keepsContent: boolean },
  ): Promise<void> {
    const own = keepsContent ? [] : columns;
    const names = [...META_COLUMNS.map(([name]) => quoted(name)), ...own.map(({ name }) => quoted(name))];
    const shape = [
      ...META_COLUMNS.map(([name, type]) => `${quoted(name)} ${type}`),
      ...own.map(({ type }, index) => `c${index} ${type}`),
    ];
    const values = [...META_COLUMNS.map(([name]) => `x.${quoted(name)}`), ...own.map((_, index) => `x.c${index}`)];
    const changed = keepsContent ? MARKS.map(quoted) : names.filter((name) => name !== '"_key"');
    await db.query(
      `INSERT INTO ${this.#name(table)} (${names.join(', ')})
       SELECT ${values.join(', ')} FROM jsonb_to_recordset($1::jsonb) AS x(${shape.join(', ')})
       ON CONFLICT ("_key") DO UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      [rows],
    );
  }

  async removeRows(db: PgHandle, table: string, keys: readonly string[]): Promise<void> {
    await db.query(`DELETE FROM ${this.#name(table)} WHERE "_key" = ANY($1::uuid[])`, [keys]);
  }

  async removeRowsOf(db: PgHandle, table: string, streamIds: readonly number[]): Promise<void> {
    await db.query(`DELETE FROM ${this.#name(table)} WHERE "_stream" = ANY($1::bigint[])`, [streamIds]);
  }

  /** Their connection is gone, and with it whose they were (design.md 7.56). */
  async markRowsOf(db: PgHandle, table: string, streamIds: readonly number[]): Promise<void> {
    await db.query(
      `UPDATE ${this.#name(table)} SET "_end_user" = NULL, "_tags" = '{}', "_deleted" = true,
         "_last_changed" = CASE WHEN "_deleted" THEN "_last_changed" ELSE now() END
       WHERE "_stream" = ANY($1::bigint[])`,
      [streamIds],
    );
  }

  /** Rows whose last change is later than a stamp. */
  async removeRowsAfter(db: PgHandle, table: string, stamp: number): Promise<void> {
    await db.query(`DELETE FROM ${this.#name(table)} WHERE "_last_changed" > ${STAMP}`, [stamp]);
  }

  async markRowsAfter(db: PgHandle, table: string, stamp: number): Promise<void> {
    await db.query(
      `UPDATE ${this.#name(table)} SET "_deleted" = true WHERE "_last_changed" > ${STAMP} AND NOT "_deleted"`,
      [stamp],
    );
  }
}
