import type { ReadHandle, SqlValue } from '../platform/database/database.ts';

/** Types of DuckDB. Times are milliseconds in the database. */
type HubType = 'VARCHAR' | 'BIGINT' | 'JSON' | 'TIMESTAMPTZ';

/** Which rows a query sees. */
export interface HubScope {
  environmentId: number;
  /** JSON text: the rows of the connections in scope. */
  connectionRowIds: string;
  /** JSON text: their integration and id, with NUL between; null: every connection. */
  pairs: string | null;
  /** Of runs and deliveries the newest. */
  limit: number;
}

interface HubViewSource {
  /** Type and SQL of each column. */
  columns: Readonly<Record<string, readonly [HubType, string]>>;
  /** What follows the columns in the statement. */
  from: string;
  params: (scope: HubScope) => SqlValue[];
}

const IN_PAIRS = '(?2 IS NULL OR (integration_key || char(0) || connection_id) IN (SELECT value FROM json_each(?2)))';
const newest = ({ environmentId, pairs, limit }: HubScope): SqlValue[] => [environmentId, pairs, limit];

/** The views of the hub itself, without secrets and contents of webhooks. */
export const HUB_VIEWS = {
  connections: {
    columns: {
      integration: ['VARCHAR', 'i.unique_key'],
      provider: ['VARCHAR', 'i.provider'],
      connection: ['VARCHAR', 'c.connection_id'],
      end_user: ['VARCHAR', "COALESCE(c.end_user ->> 'id', c.tags ->> 'end_user_id')"],
      tags: ['JSON', 'c.tags'],
      created_at: ['TIMESTAMPTZ', 'c.created_at'],
      updated_at: ['TIMESTAMPTZ', 'c.updated_at'],
      last_used_at: ['TIMESTAMPTZ', 'c.last_used_at'],
    },
    from: `FROM connections AS c JOIN integrations AS i ON i.id = c.integration_id
      WHERE c.id IN (SELECT value FROM json_each(?)) ORDER BY c.id`,
    params: ({ connectionRowIds }) => [connectionRowIds],
  },
  syncs: {
    columns: {
      id: ['VARCHAR', 'y.id'],
      name: ['VARCHAR', 'y.name'],
      variant: ['VARCHAR', 'y.variant'],
      integration: ['VARCHAR', 'i.unique_key'],
      connection: ['VARCHAR', 'y.connection_id'],
      frequency: ['VARCHAR', 'y.frequency'],
      last_status: ['VARCHAR', 'j.status'],
      last_run_at: ['TIMESTAMPTZ', 'j.updated_at'],
      last_success_at: ['TIMESTAMPTZ', 'y.last_sync_date'],
      created_at: ['TIMESTAMPTZ', 'y.created_at'],
    },
    from: `FROM syncs AS y JOIN integrations AS i ON i.id = y.integration_id
      LEFT JOIN sync_jobs AS j ON j.id = y.latest_job_id
      WHERE y.connection_row_id IN (SELECT value FROM json_each(?)) AND y.deleted_at IS NULL ORDER BY y.row_id`,
    params: ({ connectionRowIds }) => [connectionRowIds],
  },
  runs: {
    columns: {
      id: ['VARCHAR', 'id'],
      type: ['VARCHAR', 'type'],
      action: ['VARCHAR', 'action'],
      state: ['VARCHAR', 'state'],
      integration: ['VARCHAR', 'integration_key'],
      connection: ['VARCHAR', 'connection_id'],
      function: ['VARCHAR', 'function_name'],
      variant: ['VARCHAR', 'variant'],
      triggered_by: ['VARCHAR', 'triggered_by'],
      http_calls: ['BIGINT', 'http_calls'],
      records_added: ['BIGINT', 'records_added'],
      records_updated: ['BIGINT', 'records_updated'],
      records_deleted: ['BIGINT', 'records_deleted'],
      duration_ms: ['BIGINT', 'duration_ms'],
      created_at: ['TIMESTAMPTZ', 'created_at'],
      started_at: ['TIMESTAMPTZ', 'started_at'],
      ended_at: ['TIMESTAMPTZ', 'ended_at'],
    },
    from: `FROM log_operations WHERE environment_id = ?1 AND function_name IS NOT NULL
      AND (type IN ('action', 'events', 'webhook') OR (type = 'sync' AND action = 'run')) AND ${IN_PAIRS}
      ORDER BY seq DESC LIMIT ?3`,
    params: newest,
  },
  deliveries: {
    columns: {
      id: ['VARCHAR', 'id'],
      type: ['VARCHAR', 'type'],
      state: ['VARCHAR', 'state'],
      cause: ['VARCHAR', 'cause'],
      integration: ['VARCHAR', 'integration_key'],
      connection: ['VARCHAR', 'connection_id'],
      attempts: ['BIGINT', 'attempt + 1'],
      failures: ['BIGINT', 'failures'],
      last_code: ['BIGINT', 'last_code'],
      last_duration_ms: ['BIGINT', 'last_duration_ms'],
      created_at: ['TIMESTAMPTZ', 'created_at'],
      next_attempt_at: ['TIMESTAMPTZ', 'next_attempt_at'],
      finished_at: ['TIMESTAMPTZ', 'finished_at'],
    },
    from: `FROM webhook_deliveries WHERE environment_id = ?1 AND ${IN_PAIRS} ORDER BY seq DESC LIMIT ?3`,
    params: newest,
  },
} as const satisfies Record<string, HubViewSource>;

export type HubView = keyof typeof HUB_VIEWS;

export class HubViewsStore {
  /** The rows of a view, as one JSON text: each row costs the driver 4 µs. */
  async getRows(db: ReadHandle, view: HubView, scope: HubScope): Promise<string> {
    const { columns, from, params }: HubViewSource = HUB_VIEWS[view];
    const list = Object.entries(columns);
    const read = list.map(([name, [, sql]]) => `${sql} AS "${name}"`).join(', ');
    const members = list.map(([name, [type]]) => `'${name}', ${type === 'JSON' ? `json("${name}")` : `"${name}"`}`);
    const row = await db.get<{ rows: string }>(
      `SELECT json_group_array(json_object(${members.join(', ')})) AS rows FROM (SELECT ${read} ${from})`,
      params(scope),
    );
    return row?.rows ?? '[]';
  }
}
