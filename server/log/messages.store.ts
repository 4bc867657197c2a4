import { Conditions } from '../platform/database/conditions.ts';
import { countRows, type RowCount } from '../platform/database/count-rows.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import type { StoredError } from '../platform/database/stored-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import { readHeaders, type StoredHeaders, storeHeaders } from './known-headers.store.ts';

/** A message before it gets an id. Values are already redacted and limited. */
export interface MessageRow {
  operationId: string;
  createdAt: number;
  level: string;
  type: string;
  source: string;
  context: string | null;
  durationMs: number | null;
  message: string;
  details: MessageDetails | null;
}

export interface MessageDetails {
  meta?: unknown;
  error?: StoredError;
  request?: unknown;
  response?: unknown;
  retry?: unknown;
  persistResults?: unknown;
  /** Id of the recording of its bodies. */
  recordingId?: string;
}

export interface StoredMessage extends MessageRow {
  id: number;
  environmentId: number;
}

export interface MessageFilter {
  environmentId: number;
  operationId: string;
  levels?: readonly string[] | undefined;
  source?: string | undefined;
  type?: string | undefined;
  /** Full-text terms; every term must occur in the message. */
  terms?: readonly string[] | undefined;
  /** Highest id to include. */
  snapshot?: number | undefined;
}

interface SqlRow {
  id: number;
  created_at: number;
  level: string;
  type: string;
  source: string;
  context: string | null;
  duration_ms: number | null;
  message: string;
  details: string | null;
}

interface OperationRange {
  id: string;
  environment_id: number;
  seq: number;
  last_id: number | null;
}

/** Message ids of one operation start at `seq × 2^20` (migration 0006). */
const IDS_PER_OPERATION = 2 ** 20;

const COLUMNS = 'id, created_at, level, type, source, context, duration_ms, message, details';

/** In the order of the columns. */
// biome-ignore format: in the order of the columns
const valuesOf = (row: StoredMessage): unknown[] => [
  row.id, row.createdAt, row.level, row.type, row.source, row.context, row.durationMs, row.message, storedDetails(row),
];

/**
 * Details as they are stored. The address of a request and its method are the text of the message, and its headers and
 * those of the response are lists: so a logged request takes half of the bytes. Other details are stored as they are, as
 * are those of older versions.
 */
function storedDetails({ details, message }: MessageRow): object | null {
  if (!details || (details.request === undefined && details.response === undefined)) return details;
  const { request, response } = details;
  return {
    ...details,
    ...(isJsonObject(request) ? { request: storedRequest(request, message) ?? request } : {}),
    ...(isJsonObject(response) ? { response: storedResponse(response) ?? response } : {}),
  };
}

function storedRequest(request: Record<string, unknown>, text: string): StoredHeaders | undefined {
  const { method, url } = request;
  if (Object.keys(request).length !== 3 || text !== `${method} ${url}` || /\s/.test(String(method))) return undefined;
  return storeHeaders(request['headers'], []);
}

function storedResponse(response: Record<string, unknown>): StoredHeaders | undefined {
  const { code } = response;
  if (Object.keys(response).length !== 2 || typeof code !== 'number') return undefined;
  return storeHeaders(response['headers'], [code]);
}

function readDetails(stored: string, text: string): MessageDetails {
  const details = JSON.parse(stored) as MessageDetails;
  const { request, response } = details;
  if (Array.isArray(request)) {
    const [method = ''] = text.split(' ', 1);
    details.request = { method, url: text.slice(method.length + 1), headers: readHeaders(request) };
  }
  if (Array.isArray(response)) {
    const [code, ...headers] = response as StoredHeaders;
    details.response = { code, headers: readHeaders(headers) };
  }
  return details;
}

function whereOf(filter: MessageFilter, seq: number): Conditions {
  const range = [seq * IDS_PER_OPERATION, (seq + 1) * IDS_PER_OPERATION] as const;
  const where = new Conditions('id >= ? AND id < ?', ...range);
  if (filter.snapshot !== undefined) where.add('id <= ?', filter.snapshot);
  where.addOneOf('level', filter.levels);
  if (filter.source !== undefined) where.add('source = ?', filter.source);
  if (filter.type !== undefined) where.add('type = ?', filter.type);
  for (const term of filter.terms ?? []) {
    where.add(
      // The index ignores limits that are no integers, as which the driver passes numbers of more than 32 bits.
      `id IN (SELECT rowid FROM log_messages_search
        WHERE log_messages_search MATCH ? AND rowid >= CAST(? AS INTEGER) AND rowid < CAST(? AS INTEGER))`,
      term,
      ...range,
    );
  }
  return where;
}

export class MessagesStore {
  /**
   * Appends messages in the given order and returns them with their ids. Leaves out messages of an operation that is
   * not stored, and messages beyond an operation's range of ids.
   */
  async insert(tx: Transaction, messages: readonly MessageRow[]): Promise<StoredMessage[]> {
    if (messages.length === 0) return [];
    const stored = this.#number(messages, await this.#listRanges(tx, messages));
    await tx.run(
      `INSERT INTO log_messages (${COLUMNS})
       SELECT entry ->> 0, entry ->> 1, entry ->> 2, entry ->> 3, entry ->> 4, entry ->> 5, entry ->> 6, entry ->> 7,
         entry ->> 8 FROM (SELECT value AS entry FROM jsonb_each(?))`,
      [JSON.stringify(stored.map(valuesOf))],
    );
    // Sorted by id: the full-text index starts a new part for every row that comes before the last one.
    const texts = stored
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, message, details }) => [id, message, details?.error?.message ?? null]);
    await tx.run(
      `INSERT INTO log_messages_search (rowid, text)
       SELECT value ->> 0, concat_ws(' ', value ->> 1, value ->> 2) FROM jsonb_each(?)`,
      [JSON.stringify(texts)],
    );
    return stored;
  }

  async #listRanges(tx: Transaction, messages: readonly MessageRow[]): Promise<OperationRange[]> {
    const ids = [...new Set(messages.map((message) => message.operationId))];
    return tx.all<OperationRange>(
      `SELECT o.id, o.environment_id, o.seq,
         (SELECT max(m.id) FROM log_messages m WHERE m.id >= (o.seq << 20) AND m.id < ((o.seq + 1) << 20)) AS last_id
       FROM json_each(?) j JOIN log_operations o ON o.id = j.value`,
      [JSON.stringify(ids)],
    );
  }

  #number(messages: readonly MessageRow[], ranges: OperationRange[]): StoredMessage[] {
    const next = new Map(
      ranges.map((range) => {
        const first = range.seq * IDS_PER_OPERATION;
        return [
          range.id,
          { range, id: range.last_id === null ? first : range.last_id + 1, end: first + IDS_PER_OPERATION },
        ];
      }),
    );
    return messages.flatMap((message) => {
      const position = next.get(message.operationId);
      if (!position || position.id >= position.end) return [];
      return [{ ...message, id: position.id++, environmentId: position.range.environment_id }];
    });
  }

  /** Oldest first; undefined when the operation does not exist. */
  async list(
    db: ReadHandle,
    filter: MessageFilter,
    page: { offset: number; limit: number; isExactCount: boolean },
  ): Promise<(RowCount & { messages: StoredMessage[]; snapshot: number }) | undefined> {
    const operation = await db.get<{ seq: number }>(
      'SELECT seq FROM log_operations WHERE id = ? AND environment_id = ?',
      [filter.operationId, filter.environmentId],
    );
    if (!operation) return undefined;
    const snapshot = filter.snapshot ?? (await this.#lastId(db, operation.seq));
    const where = whereOf({ ...filter, snapshot }, operation.seq);
    const [rows, count] = await Promise.all([
      db.all<SqlRow>(
        `SELECT ${COLUMNS} FROM log_messages
         WHERE id IN (SELECT id FROM log_messages WHERE ${where.sql} ORDER BY created_at, id LIMIT ? OFFSET ?)
         ORDER BY created_at, id`,
        [...where.params, page.limit, page.offset],
      ),
      countRows(db, `SELECT 1 FROM log_messages WHERE ${where.sql}`, where.params, { isExact: page.isExactCount }),
    ]);
    return { messages: rows.map((row) => this.#toMessage(row, filter)), ...count, snapshot };
  }

  async #lastId(db: ReadHandle, seq: number): Promise<number> {
    const row = await db.get<{ id: number | null }>('SELECT max(id) AS id FROM log_messages WHERE id >= ? AND id < ?', [
      seq * IDS_PER_OPERATION,
      (seq + 1) * IDS_PER_OPERATION,
    ]);
    return row?.id ?? 0;
  }

  #toMessage(row: SqlRow, owner: MessageFilter): StoredMessage {
    return {
      id: row.id,
      environmentId: owner.environmentId,
      operationId: owner.operationId,
      createdAt: row.created_at,
      level: row.level,
      type: row.type,
      source: row.source,
      context: row.context,
      durationMs: row.duration_ms,
      message: row.message,
      details: row.details === null ? null : readDetails(row.details, row.message),
    };
  }

  /** Stores the search texts of these messages as their rows are. */
  async updateSearch(tx: Transaction, ids: readonly number[]): Promise<void> {
    await tx.run(
      `INSERT OR REPLACE INTO log_messages_search (rowid, text)
       SELECT id, concat_ws(' ', message, details ->> '$.error.message')
       FROM log_messages WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
      [JSON.stringify(ids)],
    );
  }

  /** Removes up to `limit` messages of these operations; resolves to the number removed. */
  async removeOf(tx: Transaction, seqs: readonly number[], limit: number): Promise<number> {
    const rows = await tx.all<{ id: number }>(
      `SELECT m.id FROM json_each(?) s JOIN log_messages m
       ON m.id >= (s.value << 20) AND m.id < ((s.value + 1) << 20) LIMIT ?`,
      [JSON.stringify(seqs), limit],
    );
    if (rows.length === 0) return 0;
    const ids = JSON.stringify(rows.map((row) => row.id));
    await tx.run('DELETE FROM log_messages_search WHERE rowid IN (SELECT value FROM json_each(?))', [ids]);
    await tx.run('DELETE FROM log_messages WHERE id IN (SELECT value FROM json_each(?))', [ids]);
    return rows.length;
  }
}
