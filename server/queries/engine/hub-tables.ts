import type { DuckDBConnection } from '@duckdb/node-api';
import { allowsConnection } from '../../environments/allowed-connections.contract.ts';
import type { ReadHandle } from '../../platform/database/database.ts';
import type { RecordSourceStore, SourceConnection, SourceStream } from '../record-source.store.ts';
import { HUB_SCHEMA } from '../sql-text.contract.ts';
import type { QueryScope } from './engine-messages.ts';

/** The newest runs and deliveries that a query sees. */
const MOST_ROWS = 100_000;

/** Columns of the hub's own views, with their types. Names that end in `_at` are times. */
const COLUMNS = {
  connections: {
    integration: 'VARCHAR',
    provider: 'VARCHAR',
    connection: 'VARCHAR',
    end_user: 'VARCHAR',
    tags: 'JSON',
    created_at: 'TIMESTAMPTZ',
    updated_at: 'TIMESTAMPTZ',
    last_used_at: 'TIMESTAMPTZ',
  },
  syncs: {
    id: 'VARCHAR',
    name: 'VARCHAR',
    variant: 'VARCHAR',
    integration: 'VARCHAR',
    connection: 'VARCHAR',
    frequency: 'VARCHAR',
    last_status: 'VARCHAR',
    last_run_at: 'TIMESTAMPTZ',
    last_success_at: 'TIMESTAMPTZ',
    created_at: 'TIMESTAMPTZ',
  },
  runs: {
    id: 'VARCHAR',
    type: 'VARCHAR',
    action: 'VARCHAR',
    state: 'VARCHAR',
    integration: 'VARCHAR',
    connection: 'VARCHAR',
    function: 'VARCHAR',
    variant: 'VARCHAR',
    triggered_by: 'VARCHAR',
    http_calls: 'BIGINT',
    records_added: 'BIGINT',
    records_updated: 'BIGINT',
    records_deleted: 'BIGINT',
    duration_ms: 'BIGINT',
    created_at: 'TIMESTAMPTZ',
    started_at: 'TIMESTAMPTZ',
    ended_at: 'TIMESTAMPTZ',
  },
  deliveries: {
    id: 'VARCHAR',
    type: 'VARCHAR',
    state: 'VARCHAR',
    cause: 'VARCHAR',
    integration: 'VARCHAR',
    connection: 'VARCHAR',
    attempts: 'BIGINT',
    failures: 'BIGINT',
    last_code: 'BIGINT',
    last_duration_ms: 'BIGINT',
    created_at: 'TIMESTAMPTZ',
    next_attempt_at: 'TIMESTAMPTZ',
    finished_at: 'TIMESTAMPTZ',
  },
} as const;

type HubView = keyof typeof COLUMNS;

/** The views of the hub itself: connections, syncs, runs and deliveries, without secrets. */
export function createHubTables({
  connection,
  db,
  store,
  scope,
}: {
  connection: DuckDBConnection;
  db: ReadHandle;
  store: RecordSourceStore;
  scope: QueryScope;
}) {
  async function fill(view: HubView, rows: ReadonlyArray<Record<string, unknown>>): Promise<void> {
    const columns = Object.entries(COLUMNS[view]);
    const shape = Object.fromEntries(columns.map(([name, type]) => [name, type === 'TIMESTAMPTZ' ? 'BIGINT' : type]));
    const values = columns.map(([name, type]) =>
      type === 'TIMESTAMPTZ' ? `make_timestamptz(r.${name} * 1000) AS ${name}` : `r.${name}`,
    );
    await connection.run(
      `CREATE OR REPLACE TABLE data.hub_${view} AS SELECT ${values.join(', ')} FROM (SELECT unnest(from_json($1, '${JSON.stringify([shape])}')) AS r)`,
      [JSON.stringify(rows)],
    );
    await connection.run(`CREATE OR REPLACE VIEW ${HUB_SCHEMA}.${view} AS SELECT * FROM data.hub_${view}`);
  }

  return {
    /** Reads which connections are in scope, and makes the tables that the views of records are joined with. */
    async describe(): Promise<{ connections: SourceConnection[]; streams: SourceStream[] }> {
      const { environmentId, allowed } = scope;
      const connections = (await store.listConnections(db, environmentId)).filter(
        ({ integrationKey, connectionId, tags }) =>
          allowed === null ||
          allowsConnection(allowed, { integrationKey, connectionId, tags: JSON.parse(tags) as Record<string, string> }),
      );
      const byRow = new Map(connections.map((one) => [one.rowId, one]));
      const streams = (await store.listStreams(db, environmentId)).filter((one) => byRow.has(one.connectionRowId));
      const rows = streams.map(({ id, connectionRowId, variant }) => {
        const one = byRow.get(connectionRowId);
        return {
          id,
          connection: one?.connectionId,
          variant,
          end_user: one?.endUserId,
          tags: JSON.parse(one?.tags ?? '{}'),
        };
      });
      await connection.run(
        `CREATE OR REPLACE TABLE data.streams AS SELECT r.* FROM (SELECT unnest(from_json($1,
           '[{"id":"BIGINT","connection":"VARCHAR","variant":"VARCHAR","end_user":"VARCHAR","tags":"JSON"}]')) AS r)`,
        [JSON.stringify(rows)],
      );
      await connection.run(`CREATE SCHEMA IF NOT EXISTS ${HUB_SCHEMA}`);
      for (const view of Object.keys(COLUMNS) as HubView[])
        await connection.run(
          `CREATE TABLE IF NOT EXISTS data.hub_${view} (${Object.entries(COLUMNS[view])
            .map(([name, type]) => `${name} ${type}`)
            .join(', ')});
           CREATE VIEW IF NOT EXISTS ${HUB_SCHEMA}.${view} AS SELECT * FROM data.hub_${view}`,
        );
      return { connections, streams };
    },
    /** Reads the views anew for which `isNamed` returns true. */
    async load(
      connections: readonly SourceConnection[],
      isNamed: (schema: string, view: string) => boolean,
    ): Promise<void> {
      const { environmentId, allowed } = scope;
      const pairs =
        allowed === null
          ? null
          : JSON.stringify(connections.map((one) => `${one.integrationKey}\0${one.connectionId}`));
      const newest = { environmentId, pairs, limit: MOST_ROWS };
      if (isNamed(HUB_SCHEMA, 'connections'))
        await fill(
          'connections',
          connections.map((one) => ({
            integration: one.integrationKey,
            provider: one.provider,
            connection: one.connectionId,
            end_user: one.endUserId,
            tags: JSON.parse(one.tags),
            created_at: one.createdAt,
            updated_at: one.updatedAt,
            last_used_at: one.lastUsedAt,
          })),
        );
      if (isNamed(HUB_SCHEMA, 'syncs'))
        await fill('syncs', await store.listSyncs(db, JSON.stringify(connections.map(({ rowId }) => rowId))));
      if (isNamed(HUB_SCHEMA, 'runs')) await fill('runs', await store.listRuns(db, newest));
      if (isNamed(HUB_SCHEMA, 'deliveries')) await fill('deliveries', await store.listDeliveries(db, newest));
    },
  };
}
