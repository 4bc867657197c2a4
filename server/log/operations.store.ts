import { CONNECTIONS_NAMED } from '../connections/connection-overviews.store.ts';
import { countRows, type RowCount } from '../platform/database/count-rows.ts';
import type { ReadHandle, Transaction } from '../platform/database/database.ts';
import type { StoredError } from '../platform/database/stored-error.ts';
import {
  FROM_INDEX,
  fromIndex,
  type LogPart,
  OPERATION_COLUMNS,
  type OperationFilter,
  operationConditions,
} from './operation-conditions.store.ts';
import { type Bucketing, listSlots, type PeriodFilter } from './operation-slots.store.ts';

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
  /** The agent session that it belongs to. */
  sessionId: string | null;
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

export interface OperationOrder {
  by: 'time' | 'duration';
  direction: 'asc' | 'desc';
  /** Rows of a group stay together, in the order of `listGroups`. */
  groupBy?: 'integration' | 'status' | undefined;
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
  session_id: string | null;
  error: string | null;
}

/** Waits for a person who opens a link. */
const IS_LINK = "(state = 'waiting' AND expires_at IS NOT NULL)";

const LIST_COLUMNS = `id, environment_id, type, action, state, message, integration_key, provider_name, connection_id,
  end_user_id, end_user_name, function_name, job_id, triggered_by, actor, http_calls, records_changed, created_at,
  updated_at, started_at, ended_at, expires_at, duration_ms, cpu_ms, memory_bytes, variant, records_added, records_updated, records_deleted, session_id`;

/** Values in the order of the columns: member names in each row would cost more time than the values. */
// biome-ignore format: in the order of the columns
const valuesOf = (row: OperationRow): unknown[] => [
  row.id, row.environmentId, row.type, row.action, row.state, row.message, row.integrationKey, row.providerName, row.connectionId,
  row.endUserId, row.endUserName, row.functionName, row.jobId, row.trigger, row.actor, row.httpCalls, row.recordsChanged, row.createdAt,
  row.updatedAt, row.startedAt, row.endedAt, row.expiresAt, row.durationMs, row.cpuMs, row.memoryBytes, row.variant, row.recordsAdded,
  row.recordsUpdated, row.recordsDeleted, row.sessionId, row.error, row.details,
];

const POSITIONS = Array.from({ length: 32 }, (_, index) => `entry ->> ${index}`).join(', ');

const ORDERS = {
  time: { desc: 'created_at DESC, seq DESC', asc: 'created_at, seq' },
  duration: { desc: 'duration_ms DESC, seq DESC', asc: 'duration_ms NULLS LAST, seq' },
} as const;

/** The value of the group for operations of no integration, which come last; it cannot be the key of one. */
export const NO_INTEGRATION = '(none)';

/** What a person has to look at comes first. */
const GROUPS = {
  integration: {
    value: `COALESCE(integration_key, '${NO_INTEGRATION}')`,
    order: 'integration_key IS NULL, integration_key',
  },
  status: {
    value: 'state',
    order: `CASE state WHEN 'failed' THEN 0 WHEN 'timeout' THEN 1 WHEN 'running' THEN 2 WHEN 'waiting' THEN 3
      WHEN 'cancelled' THEN 4 ELSE 5 END`,
  },
} as const;

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
    sessionId: row.session_id,
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
    const where = operationConditions(filter);
    const group = order.groupBy === undefined ? '' : `${GROUPS[order.groupBy].order}, `;
    const orderBy = `${group}${ORDERS[order.by][order.direction]}`;
    const rows = await db.all<SqlRow>(
      `SELECT ${LIST_COLUMNS}, json_remove(error, '$.payload') AS error FROM log_operations
       WHERE seq IN (SELECT seq ${fromIndex(filter)} WHERE ${where.sql} ORDER BY ${orderBy} LIMIT ? OFFSET ?) ORDER BY ${orderBy}`,
      [...where.params, order.limit, order.offset],
    );
    return rows.map(toOperation);
  }

  /** The first groups, with the number of rows of each, in the order in which `list` has them. */
  listGroups(
    db: ReadHandle,
    filter: OperationFilter,
    groupBy: 'integration' | 'status',
    limit: number,
  ): Promise<Array<{ value: string; count: number }>> {
    const where = operationConditions(filter);
    const { value, order } = GROUPS[groupBy];
    return db.all(
      `SELECT ${value} AS value, count(*) AS count ${fromIndex(filter)} WHERE ${where.sql} GROUP BY 1 ORDER BY ${order} LIMIT ?`,
      [...where.params, limit],
    );
  }

  count(db: ReadHandle, filter: OperationFilter, isExact = false): Promise<RowCount> {
    const where = operationConditions(filter);
    return countRows(db, `SELECT 1 ${fromIndex(filter)} WHERE ${where.sql}`, where.params, { isExact });
  }

  /**
   * The newest `size` operations that match, whatever their words; undefined when there are fewer, or when they are spread
   * over half of the log: reading the full-text index from there on would then save little.
   */
  async findNewestPart(db: ReadHandle, filter: OperationFilter, size: number): Promise<LogPart | undefined> {
    const where = operationConditions({ ...filter, terms: [], excludedTerms: [] });
    const newest = `SELECT created_at, seq ${fromIndex(filter)} WHERE ${where.sql} ORDER BY ${ORDERS.time.desc} LIMIT ?`;
    const found = await db.get<LogPart & { count: number; middleSeq: number }>(
      `SELECT min(created_at) AS after, min(seq) AS firstSeq, count(*) AS count,
         ((SELECT min(seq) FROM log_operations) + (SELECT max(seq) FROM log_operations)) / 2 AS middleSeq FROM (${newest})`,
      [...where.params, size],
    );
    if (found?.count !== size || found.firstSeq < found.middleSeq) return undefined;
    return { after: found.after, firstSeq: found.firstSeq };
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
  async listBuckets(
    db: ReadHandle,
    filter: PeriodFilter,
    bucket: Bucketing,
  ): Promise<Array<{ bucket: number; state: string; count: number }>> {
    const found = await listSlots(db, filter, bucket, 'state');
    return found.map(({ bucket: at, values: [state = ''], count }) => ({ bucket: at, state, count }));
  }

  /** As `listBuckets`, with type and action. */
  async listActivity(
    db: ReadHandle,
    filter: PeriodFilter,
    bucket: Bucketing,
  ): Promise<Array<{ bucket: number; type: string; action: string; state: string; count: number }>> {
    const found = await listSlots(db, filter, bucket, 'type, action, state');
    return found.map(({ bucket: at, values: [type = '', action = '', state = ''], count }) => {
      return { bucket: at, type, action, state, count };
    });
  }

  /** The values of one filter, most frequent first. */
  listValues(
    db: ReadHandle,
    of: Pick<OperationFilter, 'environmentId' | 'integrations'>,
    { category, search = '', limit }: { category: FilterCategory; search?: string | undefined; limit: number },
  ): Promise<Array<{ key: string; count: number }>> {
    const column = OPERATION_COLUMNS[category];
    const where = operationConditions(of);
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
