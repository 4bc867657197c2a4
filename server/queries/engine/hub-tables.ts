import type { DuckDBConnection } from '@duckdb/node-api';
import { allowsConnection } from '../../environments/allowed-connections.contract.ts';
import type { ReadHandle } from '../../platform/database/database.ts';
import { HUB_VIEWS, type HubView, HubViewsStore } from '../hub-views.store.ts';
import type { RecordSourceStore, SourceConnection, SourceStream } from '../record-source.store.ts';
import { HUB_SCHEMA } from '../sql-text.contract.ts';
import type { QueryScope } from './engine-messages.ts';

/** The newest runs and deliveries that a query sees. */
const MOST_ROWS = 100_000;

const VIEWS = Object.keys(HUB_VIEWS) as HubView[];

/** Names and types. */
const columnsOf = (view: HubView): Array<[string, string]> =>
  Object.entries(HUB_VIEWS[view].columns).map(([name, [type]]) => [name, type]);

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
  const hubViews = new HubViewsStore();

  async function fill(view: HubView, rows: string): Promise<void> {
    const columns = columnsOf(view);
    const shape = Object.fromEntries(columns.map(([name, type]) => [name, type === 'TIMESTAMPTZ' ? 'BIGINT' : type]));
    const values = columns.map(([name, type]) =>
      type === 'TIMESTAMPTZ' ? `make_timestamptz(r.${name} * 1000) AS ${name}` : `r.${name}`,
    );
    await connection.run(
      `CREATE OR REPLACE TABLE data.hub_${view} AS SELECT ${values.join(', ')} FROM (SELECT unnest(from_json($1, '${JSON.stringify([shape])}')) AS r)`,
      [rows],
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
      for (const view of VIEWS)
        await connection.run(
          `CREATE TABLE IF NOT EXISTS data.hub_${view} (${columnsOf(view)
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
      const connectionRowIds = JSON.stringify(connections.map(({ rowId }) => rowId));
      for (const view of VIEWS.filter((one) => isNamed(HUB_SCHEMA, one)))
        await fill(
          view,
          await hubViews.getRows(db, view, { environmentId, connectionRowIds, pairs, limit: MOST_ROWS }),
        );
    },
  };
}
