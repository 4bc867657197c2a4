import { IS_NOT_HELD } from '../data/held-deletions.store.ts';
import { Conditions } from '../platform/database/conditions.ts';
import { countRows, type RowCount } from '../platform/database/count-rows.ts';
import type { ReadHandle } from '../platform/database/database.ts';
import {
  AT_NOW,
  type ConnectionStatus,
  IS_SYNC_FAILING,
  NEEDS_SIGN_IN,
  STATUS,
  STATUSES,
} from './connection-status.store.ts';

/** Columns of a list of connections, beside those of the connection itself. */
export interface ConnectionOverviewRow {
  id: number;
  /** The integration's own name; null means the provider's name. */
  integrationName: string | null;
  /** Index in `STATUSES`. */
  status: number;
  isRunning: number;
  syncCount: number;
  pausedSyncCount: number;
  recordCount: number;
}

export interface OverviewFilter {
  environmentId: number;
  /** Decides which credentials have ended; milliseconds since the epoch. */
  now: number;
  /** Text in the connection id, the end user's id, name or address, or a tag's value. */
  search?: string | undefined;
  integrationKeys?: readonly string[] | undefined;
  statuses?: readonly ConnectionStatus[] | undefined;
  /** Types of credentials; `NONE` for connections without. */
  authModes?: readonly string[] | undefined;
  /** In the form `name: value`; one of them must be set. */
  tags?: readonly string[] | undefined;
  /** Highest row id to include. */
  snapshot?: number | undefined;
}

export interface OverviewOrder {
  by:
    | 'name'
    | 'integration'
    | 'auth'
    | 'id'
    | 'status'
    | 'syncs'
    | 'records'
    | 'expires'
    | 'used'
    | 'error'
    | 'created';
  direction: 'asc' | 'desc';
  /** Rows of a group stay together, in the order of `listGroups`. */
  groupBy?: 'integration' | 'status' | undefined;
  offset: number;
  limit: number;
}

export interface OverviewGroup {
  value: string;
  /** The integration's own name. */
  label: string | null;
  /** Of an integration. */
  provider: string | null;
  count: number;
}

export interface IntegrationUsage {
  integrationId: number;
  connections: number;
  /** Connections that need a sign-in or have a failing sync. */
  failing: number;
  lastUsedAt: number | null;
}

export interface LastErrorRow {
  connectionRowId: number;
  /** Milliseconds since the epoch. */
  at: number;
  logId: string;
  message: string | null;
}

/** A connection, as operations name it. */
export interface LoggedConnection {
  environmentId: number;
  integrationKey: string;
  connectionId: string;
}

const FROM = 'FROM connections c JOIN integrations i ON i.id = c.integration_id';
const IS_RUNNING = `EXISTS (SELECT 1 FROM syncs s JOIN sync_jobs j ON j.id = s.latest_job_id
  WHERE s.connection_row_id = c.id AND s.deleted_at IS NULL AND j.status = 'RUNNING')`;
const SYNC_COUNT = '(SELECT COUNT(*) FROM syncs s WHERE s.connection_row_id = c.id AND s.deleted_at IS NULL)';
const PAUSED_SYNC_COUNT = `(SELECT COUNT(*) FROM syncs s JOIN schedules h ON h.id = s.id
  WHERE s.connection_row_id = c.id AND s.deleted_at IS NULL AND h.state = 'paused')`;
const RECORD_COUNT =
  '(SELECT COALESCE(SUM(r.live_count), 0) FROM record_streams r WHERE r.connection_row_id = c.id AND r.retired = 0)';
/** The newest active error; its text is in the log. */
const ERROR_AT = '(SELECT MAX(e.created_at) FROM connection_errors e WHERE e.connection_row_id = c.id)';
const AUTH_MODE = "COALESCE(c.credentials_type, 'NONE')";
const TAG = "tag.key || ': ' || tag.value";
/** What a person calls the customer of connection `c`; null without an end user. */
export const CUSTOMER =
  "COALESCE(c.end_user ->> 'displayName', c.tags ->> 'end_user_display_name', c.end_user ->> 'id')";
/** Ids of the connections of an environment whose customer's name contains a text: two parameters, environment and text. */
export const CONNECTIONS_NAMED = `SELECT c.connection_id FROM connections c
  WHERE c.environment_id = ? AND c.deleted_at IS NULL AND instr(lower(${CUSTOMER}), lower(?)) > 0`;
const NAME = `COALESCE(${CUSTOMER}, c.connection_id) COLLATE NOCASE`;

const ORDERS: Record<OverviewOrder['by'], string> = {
  name: NAME,
  integration: 'i.unique_key COLLATE NOCASE',
  auth: 'c.credentials_type',
  id: 'c.connection_id COLLATE NOCASE',
  status: STATUS,
  syncs: SYNC_COUNT,
  records: RECORD_COUNT,
  expires: 'c.credentials_expire_at',
  used: 'c.last_used_at',
  error: ERROR_AT,
  created: 'c.created_at',
};

/** Integrations by key; the worst status first. */
const GROUP_ORDERS = { integration: 'i.unique_key', status: `${STATUS} DESC` };

/** Connections for lists, with their status and counts, which SQL computes. */
export class ConnectionOverviewsStore {
  /** Filters and sorting read every row; the further columns are computed for the rows of the page only. */
  async list(db: ReadHandle, filter: OverviewFilter, order: OverviewOrder): Promise<ConnectionOverviewRow[]> {
    const { sql: where, params } = conditions(filter);
    const direction = order.direction === 'asc' ? 'ASC' : 'DESC';
    const group = order.groupBy === undefined ? '' : `${GROUP_ORDERS[order.groupBy]}, `;
    const orderBy = `${group}${ORDERS[order.by]} ${direction} NULLS LAST, c.id ${direction}`;
    return db.all(
      `${AT_NOW} SELECT c.id, i.display_name AS integrationName, ${STATUS} AS status, ${IS_RUNNING} AS isRunning,
         ${SYNC_COUNT} AS syncCount, ${PAUSED_SYNC_COUNT} AS pausedSyncCount, ${RECORD_COUNT} AS recordCount
       ${FROM} WHERE c.id IN (SELECT c.id ${FROM} WHERE ${where} ORDER BY ${orderBy} LIMIT ? OFFSET ?) ORDER BY ${orderBy}`,
      [filter.now, ...params, order.limit, order.offset],
    );
  }

  /**
   * The newest active error of each connection that has one, with the text of its operation; null when the operation is
   * gone.
   */
  async listLastErrors(db: ReadHandle, ids: readonly number[]): Promise<LastErrorRow[]> {
    return db.all(
      `SELECT e.connection_row_id AS connectionRowId, MAX(e.created_at) AS at, e.log_id AS logId,
         o.error ->> 'message' AS message
       FROM connection_errors e LEFT JOIN log_operations o ON o.id = e.log_id
       WHERE e.connection_row_id IN (SELECT value FROM json_each(?)) GROUP BY e.connection_row_id`,
      [JSON.stringify(ids)],
    );
  }

  async listStatuses(db: ReadHandle, ids: readonly number[], now: number): Promise<Map<number, ConnectionStatus>> {
    const rows = await db.all<{ id: number; status: number }>(
      `${AT_NOW} SELECT c.id, ${STATUS} AS status FROM connections c WHERE c.id IN (SELECT value FROM json_each(?))`,
      [now, JSON.stringify(ids)],
    );
    return new Map(rows.map(({ id, status }) => [id, STATUSES[status] ?? 'ok']));
  }

  async find(db: ReadHandle, id: number, now: number): Promise<ConnectionOverviewRow | undefined> {
    return db.get(
      `${AT_NOW} SELECT c.id, i.display_name AS integrationName, ${STATUS} AS status, ${IS_RUNNING} AS isRunning,
         ${SYNC_COUNT} AS syncCount, ${PAUSED_SYNC_COUNT} AS pausedSyncCount, ${RECORD_COUNT} AS recordCount
       ${FROM} WHERE c.id = ? AND c.deleted_at IS NULL`,
      [now, id],
    );
  }

  count(db: ReadHandle, filter: OverviewFilter, isExact = false): Promise<RowCount> {
    const { sql: where, params } = conditions(filter);
    return countRows(db, `${AT_NOW} SELECT 1 ${FROM} WHERE ${where}`, [filter.now, ...params], { isExact });
  }

  async countByStatus(db: ReadHandle, filter: OverviewFilter): Promise<Map<ConnectionStatus, number>> {
    const { sql: where, params } = conditions(filter);
    const rows = await db.all<{ status: number; total: number }>(
      `${AT_NOW} SELECT ${STATUS} AS status, COUNT(*) AS total ${FROM} WHERE ${where} GROUP BY 1`,
      [filter.now, ...params],
    );
    return new Map(rows.map((row) => [STATUSES[row.status] ?? 'ok', row.total]));
  }

  /** The first groups, with the number of rows of each, in the order in which `list` has them. */
  async listGroups(
    db: ReadHandle,
    filter: OverviewFilter,
    groupBy: 'integration' | 'status',
    limit: number,
  ): Promise<OverviewGroup[]> {
    if (groupBy === 'status') {
      const counts = await this.countByStatus(db, filter);
      return STATUSES.toReversed().flatMap((value) => {
        const count = counts.get(value) ?? 0;
        return count === 0 ? [] : [{ value, label: null, provider: null, count }];
      });
    }
    const { sql: where, params } = conditions(filter);
    return db.all(
      `${AT_NOW} SELECT i.unique_key AS value, i.display_name AS label, i.provider, COUNT(*) AS count ${FROM} WHERE ${where}
       GROUP BY i.unique_key ORDER BY i.unique_key LIMIT ?`,
      [filter.now, ...params, limit],
    );
  }

  countByAuthMode(db: ReadHandle, environmentId: number): Promise<Array<{ key: string; count: number }>> {
    return db.all(
      `SELECT ${AUTH_MODE} AS key, COUNT(*) AS count FROM connections c
       WHERE c.environment_id = ? AND c.deleted_at IS NULL AND ${IS_NOT_HELD} GROUP BY 1`,
      [environmentId],
    );
  }

  /**
   * The 20 most frequent tags that contain the text, in the form `name: value`. Tags that repeat the end user are left
   * out, and values with a comma, which separates the values of a filter.
   */
  countByTag(db: ReadHandle, environmentId: number, search: string): Promise<Array<{ key: string; count: number }>> {
    return db.all(
      `SELECT ${TAG} AS key, COUNT(*) AS count FROM connections c, json_each(c.tags) AS tag
       WHERE c.environment_id = ? AND c.deleted_at IS NULL AND ${IS_NOT_HELD} AND substr(tag.key, 1, 9) <> 'end_user_'
         AND instr(${TAG}, ',') = 0 AND instr(lower(${TAG}), ?) > 0
       GROUP BY 1 ORDER BY count DESC, key LIMIT 20`,
      [environmentId, search],
    );
  }

  /** The end users of these connections now; connections without one, or that are gone, are left out. */
  listEndUsers(
    db: ReadHandle,
    connections: readonly LoggedConnection[],
  ): Promise<Array<LoggedConnection & { id: string | null; name: string | null }>> {
    return db.all(
      `SELECT i.environment_id AS environmentId, i.unique_key AS integrationKey, c.connection_id AS connectionId,
         c.end_user ->> 'id' AS id, COALESCE(c.end_user ->> 'displayName', c.tags ->> 'end_user_display_name') AS name
       FROM json_each(?) AS named
       JOIN integrations i ON i.environment_id = named.value ->> 'environmentId'
         AND i.unique_key = named.value ->> 'integrationKey' AND i.deleted_at IS NULL
       JOIN connections c ON c.integration_id = i.id AND c.connection_id = named.value ->> 'connectionId'
         AND c.deleted_at IS NULL
       WHERE c.end_user IS NOT NULL OR c.tags ->> 'end_user_display_name' IS NOT NULL`,
      [JSON.stringify(connections)],
    );
  }

  /** What a person calls the customers of these connections; an id of several integrations may come more than once. */
  listCustomers(
    db: ReadHandle,
    environmentId: number,
    connectionIds: readonly string[],
  ): Promise<Array<{ connectionId: string; provider: string; name: string | null }>> {
    return db.all(
      `SELECT c.connection_id AS connectionId, i.provider, ${CUSTOMER} AS name
       FROM connections c JOIN integrations i ON i.id = c.integration_id
       WHERE c.environment_id = ? AND c.deleted_at IS NULL AND c.connection_id IN (SELECT value FROM json_each(?))`,
      [environmentId, JSON.stringify(connectionIds)],
    );
  }

  async getSnapshot(db: ReadHandle): Promise<number> {
    const row = await db.get<{ last: number | null }>('SELECT MAX(id) AS last FROM connections');
    return row?.last ?? 0;
  }

  async listUsage(db: ReadHandle, environmentId: number, now: number): Promise<IntegrationUsage[]> {
    return db.all(
      `${AT_NOW} SELECT c.integration_id AS integrationId, COUNT(*) AS connections, MAX(c.last_used_at) AS lastUsedAt,
         SUM(${NEEDS_SIGN_IN} OR ${IS_SYNC_FAILING}) AS failing
       FROM connections c WHERE c.environment_id = ? AND c.deleted_at IS NULL AND ${IS_NOT_HELD}
       GROUP BY c.integration_id`,
      [now, environmentId],
    );
  }
}

function conditions(filter: OverviewFilter): Conditions {
  const where = new Conditions(
    `c.environment_id = ? AND c.deleted_at IS NULL AND ${IS_NOT_HELD}`,
    filter.environmentId,
  );
  if (filter.snapshot !== undefined) where.add('c.id <= ?', filter.snapshot);
  where.addOneOf('i.unique_key', filter.integrationKeys);
  where.addOneOf(
    STATUS,
    filter.statuses?.map((status) => STATUSES.indexOf(status)),
  );
  where.addOneOf(AUTH_MODE, filter.authModes);
  if (filter.tags)
    where.add(
      `EXISTS (SELECT 1 FROM json_each(c.tags) AS tag WHERE ${TAG} IN (SELECT value FROM json_each(?)))`,
      JSON.stringify(filter.tags),
    );
  if (filter.search) {
    const texts = ['c.connection_id', "c.end_user ->> 'id'", "c.end_user ->> 'displayName'", "c.end_user ->> 'email'"];
    const inTags = (passes: string) => `EXISTS (SELECT 1 FROM json_each(c.tags) AS tag WHERE tag.value ${passes})`;
    where.addContains(texts, filter.search, [inTags]);
  }
  return where;
}
