import type { LogField, LogSet } from '../contract/dashboard/log-query.ts';
import type { ReadHandle, SqlParams, Transaction } from '../database/database.ts';
import { Conditions } from './conditions.ts';
import { CONNECTIONS_NAMED } from './connection-overviews-store.ts';
import type { StoredError } from './stored-error.ts';

/** An operation as it is written; every write contains the whole row. Values are already redacted and limited. */
export interface OperationRow {
  id: string;
  environmentId: number;
  type: string;
  action: string;
  state: string;
  message: string | null;
  integrationKey: string | null;
  providerName: string | null;
  connectionId: string | null;
  endUserId: string | null;
  endUserName: string | null;
  functionName: string | null;
  /** Variant of the sync; null for operations that are not runs of a sync. */
  variant: string | null;
  jobId: string | null;
  trigger: string | null;
  actor: string | null;
  httpCalls: number;
  recordsChanged: number;
  /** Parts of `recordsChanged`; null for operations from before they were stored. */
  recordsAdded: number | null;
  recordsUpdated: number | null;
  recordsDeleted: number | null;
  createdAt: number;
  updatedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  expiresAt: number | null;
  durationMs: number | null;
  /** Processor time of the run; null when it was not measured. */
  cpuMs: number | null;
  /** Heap of the isolate at the end of the run; null when it was not measured. */
  memoryBytes: number | null;
  error: StoredError | null;
  details: OperationDetails | null;
}

export interface OperationDetails {
  meta?: unknown;
  request?: unknown;
  response?: unknown;
}

/** Lists leave out the details and the error's payload. */
export type OperationListRow = Omit<OperationRow, 'details'>;

export interface OperationFilter {
  environmentId: number;
  id?: string | undefined;
  states?: readonly string[] | undefined;
  /** `group` or `group:action`. */
  types?: readonly string[] | undefined;
  integrations?: readonly string[] | undefined;
  connections?: readonly string[] | undefined;
  functions?: readonly string[] | undefined;
  /** Further sets of values; a row must have one of the values of each set, or none of them when the set excludes. */
  sets?: readonly LogSet[] | undefined;
  /** Milliseconds, both ends included; operations that have not ended never match. */
  minDurationMs?: number | undefined;
  maxDurationMs?: number | undefined;
  /** Milliseconds, both ends included. */
  from?: number | undefined;
  to?: number | undefined;
  /** Full-text terms (`search-terms.ts`); every term must occur in the operation or in one of its messages. */
  terms?: readonly string[] | undefined;
  /** Terms that must not occur. */
  excludedTerms?: readonly string[] | undefined;
  /** Highest `seq` to include: operations stored later are left out of the result. */
  snapshot?: number | undefined;
}

export interface OperationOrder {
  by: 'time' | 'duration';
  direction: 'asc' | 'desc';
  offset: number;
  limit: number;
}

export type FilterCategory = 'integration' | 'connection' | 'function';

interface SqlRow {
  id: string;
  environment_id: number;
  type: string;
  action: string;
  state: string;
  message: string | null;
  integration_key: string | null;
  provider_name: string | null;
  connection_id: string | null;
  end_user_id: string | null;
  end_user_name: string | null;
  function_name: string | null;
  job_id: string | null;
  triggered_by: string | null;
  actor: string | null;
  http_calls: number;
  records_changed: number;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  ended_at: number | null;
  expires_at: number | null;
  duration_ms: number | null;
  cpu_ms: number | null;
  memory_bytes: number | null;
  variant: string | null;
  records_added: number | null;
  records_updated: number | null;
  records_deleted: number | null;
  error: string | null;
}

/** Waits for a person who opens a link. */
const IS_LINK = "(state = 'waiting' AND expires_at IS NOT NULL)";

const LIST_COLUMNS = `id, environment_id, type, action, state, message, integration_key, provider_name, connection_id,
  end_user_id, end_user_name, function_name, job_id, triggered_by, actor, http_calls, records_changed, created_at,
  updated_at, started_at, ended_at, expires_at, duration_ms, cpu_ms, memory_bytes, variant, records_added, records_updated, records_deleted`;

/** Values in the order of the columns: member names in each row would cost more time than the values. */
// biome-ignore format: in the order of the columns
const valuesOf = (row: OperationRow): unknown[] => [
  row.id, row.environmentId, row.type, row.action, row.state, row.message, row.integrationKey, row.providerName, row.connectionId,
  row.endUserId, row.endUserName, row.functionName, row.jobId, row.trigger, row.actor, row.httpCalls, row.recordsChanged, row.createdAt,
  row.updatedAt, row.startedAt, row.endedAt, row.expiresAt, row.durationMs, row.cpuMs, row.memoryBytes, row.variant, row.recordsAdded,
  row.recordsUpdated, row.recordsDeleted, row.error, row.details,
];

const POSITIONS = Array.from({ length: 31 }, (_, index) => `entry ->> ${index}`).join(', ');

const ORDERS = {
  time: { desc: 'created_at DESC, seq DESC', asc: 'created_at, seq' },
  duration: { desc: 'duration_ms DESC, seq DESC', asc: 'duration_ms NULLS LAST, seq' },
} as const;

const FIELD_COLUMNS: Record<Exclude<LogField, 'type'>, string> = {
  state: 'state',
  integration: 'integration_key',
  connection: 'connection_id',
  function: 'function_name',
  trigger: 'triggered_by',
};

/** DISTINCT drops the repeated operations of messages before IN does it at a higher price; UNION would do it twice. */
const HAS_TERM = `seq IN (SELECT rowid FROM log_operations_search WHERE log_operations_search MATCH ?
  UNION ALL SELECT DISTINCT rowid >> 20 FROM log_messages_search WHERE log_messages_search MATCH ?)`;

/** Every filter is answered from this index alone; table rows are read only for the page that is shown. */
const FROM_INDEX = 'FROM log_operations INDEXED BY log_operations_list';

function toOperation(row: SqlRow): OperationListRow {
  return {
    id: row.id,
    environmentId: row.environment_id,
    type: row.type,
    action: row.action,
    state: row.state,
    message: row.message,
    integrationKey: row.integration_key,
    providerName: row.provider_name,
    connectionId: row.connection_id,
    endUserId: row.end_user_id,
    endUserName: row.end_user_name,
    functionName: row.function_name,
    variant: row.variant,
    jobId: row.job_id,
    trigger: row.triggered_by,
    actor: row.actor,
    httpCalls: row.http_calls,
    recordsChanged: row.records_changed,
    recordsAdded: row.records_added,
    recordsUpdated: row.records_updated,
    recordsDeleted: row.records_deleted,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    expiresAt: row.expires_at,
    durationMs: row.duration_ms,
    cpuMs: row.cpu_ms,
    memoryBytes: row.memory_bytes,
    error: row.error === null ? null : (JSON.parse(row.error) as StoredError),
  };
}

function whereOf(filter: OperationFilter): Conditions {
  const where = new Conditions('environment_id = ?', filter.environmentId);
  const addTypes = (values: readonly string[], isExcluded: boolean): void => {
    const parts = values.map((value) => {
      const at = value.indexOf(':');
      return at < 0 ? [value] : [value.slice(0, at), value.slice(at + 1)];
    });
    const clauses = parts.map(({ length }) => (length === 1 ? 'type = ?' : '(type = ? AND action = ?)'));
    where.add(`${isExcluded ? 'NOT ' : ''}(${clauses.join(' OR ') || 'FALSE'})`, ...parts.flat());
  };

  if (filter.id !== undefined) where.add('id = ?', filter.id);
  if (filter.from !== undefined) where.add('created_at >= ?', filter.from);
  if (filter.to !== undefined) where.add('created_at <= ?', filter.to);
  if (filter.snapshot !== undefined) where.add('seq <= ?', filter.snapshot);
  where.addOneOf('state', filter.states);
  if (filter.types) addTypes(filter.types, false);
  where.addOneOf('integration_key', filter.integrations);
  where.addOneOf('connection_id', filter.connections);
  where.addOneOf('function_name', filter.functions);
  for (const { field, values, isExcluded } of filter.sets ?? []) {
    if (field === 'type') addTypes(values, isExcluded);
    else if (isExcluded && values.length === 1) where.add(`ifnull(${FIELD_COLUMNS[field]}, '') <> ?`, values[0] ?? '');
    else if (isExcluded)
      where.add(`ifnull(${FIELD_COLUMNS[field]}, '') NOT IN (SELECT value FROM json_each(?))`, JSON.stringify(values));
    else where.addOneOf(FIELD_COLUMNS[field], values);
  }
  if (filter.minDurationMs !== undefined) where.add('duration_ms >= ?', filter.minDurationMs);
  if (filter.maxDurationMs !== undefined) where.add('duration_ms <= ?', filter.maxDurationMs);
  for (const term of filter.terms ?? []) where.add(HAS_TERM, term, term);
  for (const term of filter.excludedTerms ?? []) where.add(`NOT ${HAS_TERM}`, term, term);
  return where;
}

export class OperationsStore {
  /** Inserts new operations and updates the changing columns of known ones, together with their search texts. */
  async upsert(tx: Transaction, rows: readonly OperationRow[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.run(
      `INSERT INTO log_operations (${LIST_COLUMNS}, error, details)
       SELECT ${POSITIONS} FROM (SELECT value AS entry FROM jsonb_each(?)) WHERE true
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, message = excluded.message,
         http_calls = excluded.http_calls, records_changed = excluded.records_changed,
         records_added = excluded.records_added, records_updated = excluded.records_updated,
         records_deleted = excluded.records_deleted,
         updated_at = excluded.updated_at, started_at = excluded.started_at, ended_at = excluded.ended_at,
         duration_ms = excluded.duration_ms, cpu_ms = excluded.cpu_ms, memory_bytes = excluded.memory_bytes,
         error = excluded.error, details = excluded.details`,
      [JSON.stringify(rows.map(valuesOf))],
    );
    const ids = rows.map(({ id }) => id);
    await this.updateSearch(tx, ids);
  }

  /** Sorted by `seq`: the full-text index starts a new part for every row that comes before the last one. */
  async updateSearch(tx: Transaction, ids: readonly string[]): Promise<void> {
    await tx.run(
      `INSERT OR REPLACE INTO log_operations_search (rowid, text)
       SELECT seq, concat_ws(' ', message, integration_key, provider_name, connection_id, function_name, end_user_id,
         end_user_name, error ->> 'name', error ->> 'type', error ->> 'message')
       FROM log_operations WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq`,
      [JSON.stringify(ids)],
    );
  }

  /** Calls of MCP clients, newest first; a separate index answers it. */
  async listToolCalls(db: ReadHandle, environmentId: number, limit: number): Promise<OperationListRow[]> {
    const rows = await db.all<SqlRow>(
      `SELECT ${LIST_COLUMNS}, error FROM log_operations
       WHERE environment_id = ? AND triggered_by = 'mcp' ORDER BY created_at DESC LIMIT ?`,
      [environmentId, limit],
    );
    return rows.map(toOperation);
  }

  /**
   * Marks operations as failed that a crash left unfinished and that were created before `before`; their duration is
   * unknown. Returns them.
   */
  async updateUnfinished(
    tx: Transaction,
    change: { before: number; endedAt: number; error: StoredError; expired: string },
  ): Promise<OperationListRow[]> {
    const unfinished = await tx.all<SqlRow>(
      `UPDATE log_operations SET state = iif(${IS_LINK}, 'cancelled', 'failed'), ended_at = ?1, updated_at = ?1,
         duration_ms = NULL, error = iif(${IS_LINK}, NULL, ?2), message = iif(${IS_LINK}, ?3, message)
       WHERE state IN ('waiting', 'running') AND created_at < ?4 AND NOT (${IS_LINK} AND expires_at > ?1)
       RETURNING ${LIST_COLUMNS}, error`,
      [change.endedAt, JSON.stringify(change.error), change.expired, change.before],
    );
    const ids = unfinished.map(({ id }) => id);
    await this.updateSearch(tx, ids);
    return unfinished.map(toOperation);
  }

  async getSnapshot(db: ReadHandle): Promise<number> {
    const row = await db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM log_operations');
    return row?.seq ?? 0;
  }

  async list(db: ReadHandle, filter: OperationFilter, order: OperationOrder): Promise<OperationListRow[]> {
    const where = whereOf(filter);
    const orderBy = ORDERS[order.by][order.direction];
    const rows = await db.all<SqlRow>(
      `SELECT ${LIST_COLUMNS}, json_remove(error, '$.payload') AS error FROM log_operations
       WHERE seq IN (SELECT seq ${FROM_INDEX} WHERE ${where.sql} ORDER BY ${orderBy} LIMIT ? OFFSET ?) ORDER BY ${orderBy}`,
      [...where.params, order.limit, order.offset],
    );
    return rows.map(toOperation);
  }

  async count(db: ReadHandle, filter: OperationFilter): Promise<number> {
    const where = whereOf(filter);
    const row = await db.get<{ count: number }>(
      `SELECT count(*) AS count ${FROM_INDEX} WHERE ${where.sql}`,
      where.params,
    );
    return row?.count ?? 0;
  }

  async find(db: ReadHandle, environmentId: number, id: string): Promise<OperationRow | undefined> {
    const row = await db.get<SqlRow & { details: string | null }>(
      `SELECT ${LIST_COLUMNS}, error, details FROM log_operations WHERE id = ? AND environment_id = ?`,
      [id, environmentId],
    );
    if (!row) return undefined;
    return {
      ...toOperation(row),
      details: row.details === null ? null : (JSON.parse(row.details) as OperationDetails),
    };
  }

  /** Counts by time bucket and state. `bucket` counts from `offsetMs`; empty buckets are absent. */
  listBuckets(
    db: ReadHandle,
    filter: OperationFilter,
    bucket: { sizeMs: number; offsetMs: number },
  ): Promise<Array<{ bucket: number; state: string; count: number }>> {
    const where = whereOf(filter);
    const params: SqlParams = [bucket.offsetMs, bucket.sizeMs, ...where.params];
    return db.all(
      `SELECT CAST((created_at - ?) / ? AS INTEGER) AS bucket, state, count(*) AS count ${FROM_INDEX} WHERE ${where.sql}
       GROUP BY bucket, state ORDER BY bucket`,
      params,
    );
  }

  /** As `listBuckets`, with type and action. */
  listActivity(
    db: ReadHandle,
    filter: OperationFilter,
    bucket: { sizeMs: number; offsetMs: number },
  ): Promise<Array<{ bucket: number; type: string; action: string; state: string; count: number }>> {
    const where = whereOf(filter);
    return db.all(
      `SELECT CAST((created_at - ?) / ? AS INTEGER) AS bucket, type, action, state, count(*) AS count ${FROM_INDEX}
       WHERE ${where.sql} GROUP BY bucket, type, action, state ORDER BY bucket`,
      [bucket.offsetMs, bucket.sizeMs, ...where.params],
    );
  }

  /** The values of one filter, most frequent first. */
  listValues(
    db: ReadHandle,
    of: Pick<OperationFilter, 'environmentId' | 'integrations'>,
    { category, search = '', limit }: { category: FilterCategory; search?: string | undefined; limit: number },
  ): Promise<Array<{ key: string; count: number }>> {
    const column = FIELD_COLUMNS[category];
    const where = whereOf(of);
    const has = `instr(lower(${column}), lower(?)) > 0`;
    if (category !== 'connection' || search === '') where.add(has, search);
    else where.add(`(${has} OR ${column} IN (${CONNECTIONS_NAMED}))`, search, of.environmentId, search);
    const sql = `SELECT ${column} AS key, count(*) AS count ${FROM_INDEX} WHERE ${where.sql}
       GROUP BY ${column} ORDER BY count DESC, key LIMIT ?`;
    return db.all(sql, [...where.params, limit]);
  }

  async listEnvironmentIds(db: ReadHandle): Promise<number[]> {
    const rows = await db.all<{ id: number }>(`SELECT DISTINCT environment_id AS id ${FROM_INDEX}`);
    return rows.map((row) => row.id);
  }

  /** `seq` of the oldest operations created before `before`; unfinished operations are left out. */
  async listExpired(
    db: ReadHandle,
    query: { environmentId: number; before: number; limit: number },
  ): Promise<number[]> {
    const sql = `SELECT seq ${FROM_INDEX} WHERE environment_id = ? AND created_at < ?
       AND state NOT IN ('waiting', 'running') ORDER BY created_at, seq LIMIT ?`;
    const rows = await db.all<{ seq: number }>(sql, [query.environmentId, query.before, query.limit]);
    return rows.map((row) => row.seq);
  }

  async listOfEnvironment(db: ReadHandle, environmentId: number, limit: number): Promise<number[]> {
    const sql = `SELECT seq ${FROM_INDEX} WHERE environment_id = ? LIMIT ?`;
    const rows = await db.all<{ seq: number }>(sql, [environmentId, limit]);
    return rows.map((row) => row.seq);
  }

  async remove(tx: Transaction, seqs: readonly number[]): Promise<void> {
    const list = JSON.stringify(seqs);
    await tx.run('DELETE FROM log_operations_search WHERE rowid IN (SELECT value FROM json_each(?))', [list]);
    await tx.run('DELETE FROM log_operations WHERE seq IN (SELECT value FROM json_each(?))', [list]);
  }
}
