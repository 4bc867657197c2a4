import { MAX_LIST_GROUPS } from '../contract/dashboard/list-limits.ts';
import type { Integration } from '../integrations/integration.ts';
import type { RowCount } from '../platform/database/count-rows.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { StoredConnection } from './connection.ts';
import { areLost, type ConnectionCache } from './connection-cache.ts';
import { ConnectionMatchesStore } from './connection-matches.store.ts';
import {
  type ConnectionOverviewRow,
  ConnectionOverviewsStore,
  type IntegrationUsage,
  type LastErrorRow,
  type OverviewFilter,
  type OverviewGroup,
  type OverviewOrder,
} from './connection-overviews.store.ts';
import { type ConnectionStatus, STATUSES } from './connection-status.store.ts';
import type { ConnectionFilter, ConnectionRow, ConnectionsStore, UnusedFilter } from './connections.store.ts';
import { canRenew, isRenewedType } from './credentials/credentials.service.ts';

export type { IntegrationUsage, OverviewOrder } from './connection-overviews.store.ts';
export type { ConnectionStatus } from './connection-status.store.ts';

/** A connection for lists. */
export interface ConnectionOverview extends StoredConnection {
  /** The integration's own name; null means the provider's name. */
  integrationName: string | null;
  /** The worst applicable status. */
  status: ConnectionStatus;
  /** True when the hub can renew its credentials without the user. */
  isRefreshable: boolean;
  /** True while one of its syncs runs. */
  isRunning: boolean;
  syncCount: number;
  pausedSyncCount: number;
  /** Number of live records of all models. */
  recordCount: number;
  lastError: Omit<LastErrorRow, 'connectionRowId'> | null;
}

/** The hub's clock decides which credentials have ended. */
type Selection = Omit<OverviewFilter, 'now'>;
export type OverviewQuery = Selection & OverviewOrder & { isExactCount?: boolean };

export interface OverviewPage extends RowCount {
  connections: ConnectionOverview[];
  snapshot: number;
  /** With `groupBy`. */
  groups: OverviewGroup[] | undefined;
}

/** Lists and counts of connections. */
export function createConnectionQueries({
  database,
  clock,
  connectionsStore,
  rows,
}: {
  database: Pick<Database, 'reader'>;
  clock: Clock;
  connectionsStore: ConnectionsStore;
  rows: ConnectionCache;
}) {
  const overviewsStore = new ConnectionOverviewsStore();
  const matchesStore = new ConnectionMatchesStore();

  /** While the vault is locked, only the type of the credentials is known, so the result may be wrongly true. */
  function isRefreshable(row: ConnectionRow): boolean {
    if (!isRenewedType(row.credentialsType) || areLost(row)) return false;
    return rows.isLocked || canRenew(row.provider, rows.openCredentials(row));
  }

  return {
    async list(filter: ConnectionFilter): Promise<StoredConnection[]> {
      const { reader } = database;
      const rows = await connectionsStore.list(reader, filter);
      const errors = await connectionsStore.listErrors(
        reader,
        rows.map((row) => row.id),
      );
      const errorsById = Map.groupBy(errors, (error) => error.connectionRowId);
      return rows.map((row) => ({ ...row, errors: errorsById.get(row.id) ?? [] }));
    },

    /** By row id. */
    listStatuses(connections: ReadonlyArray<Pick<StoredConnection, 'id'>>): Promise<Map<number, ConnectionStatus>> {
      const ids = connections.map(({ id }) => id);
      return overviewsStore.listStatuses(database.reader, ids, clock.now());
    },

    count(filter: ConnectionFilter): Promise<number> {
      return connectionsStore.count(database.reader, filter);
    },

    /** One page of a list; later pages leave out connections that were created after its snapshot. */
    async listOverviews(query: OverviewQuery): Promise<OverviewPage> {
      const { reader } = database;
      const snapshot = query.snapshot ?? (await overviewsStore.getSnapshot(reader));
      const filter = { ...query, snapshot, now: clock.now() };
      const [rows, count, groups] = await Promise.all([
        overviewsStore.list(reader, filter, query),
        overviewsStore.count(reader, filter, query.isExactCount),
        query.groupBy && overviewsStore.listGroups(reader, filter, query.groupBy, MAX_LIST_GROUPS),
      ]);
      const ids = rows.map((row) => row.id);
      const [connections, errors, lastErrors] = await Promise.all([
        connectionsStore.listByRowIds(reader, ids),
        connectionsStore.listErrors(reader, ids),
        overviewsStore.listLastErrors(reader, ids),
      ]);
      const byId = new Map(connections.map((row) => [row.id, row]));
      const errorsById = Map.groupBy(errors, (error) => error.connectionRowId);
      const lastErrorById = new Map(lastErrors.map((error) => [error.connectionRowId, error]));
      const overviews = rows.flatMap((row) => {
        const connection = byId.get(row.id);
        if (!connection) return [];
        const more = { isRefreshable: isRefreshable(connection), lastError: lastErrorById.get(row.id) };
        return [toOverview(row, { ...connection, errors: errorsById.get(row.id) ?? [] }, more)];
      });
      return { connections: overviews, ...count, snapshot, groups };
    },

    async findOverview(
      integration: Pick<Integration, 'id'>,
      connectionId: string,
    ): Promise<ConnectionOverview | undefined> {
      const connection = await rows.find(integration.id, connectionId);
      if (!connection) return undefined;
      const [row, [lastError]] = await Promise.all([
        overviewsStore.find(database.reader, connection.id, clock.now()),
        overviewsStore.listLastErrors(database.reader, [connection.id]),
      ]);
      return row && toOverview(row, connection, { isRefreshable: isRefreshable(connection), lastError });
    },

    countByStatus(filter: Selection): Promise<Map<ConnectionStatus, number>> {
      return overviewsStore.countByStatus(database.reader, { ...filter, now: clock.now() });
    },

    countByAuthMode(environmentId: number): Promise<Array<{ key: string; count: number }>> {
      return overviewsStore.countByAuthMode(database.reader, environmentId);
    },

    listCustomers(environmentId: number, connectionIds: readonly string[]) {
      return overviewsStore.listCustomers(database.reader, environmentId, connectionIds);
    },

    /** The most frequent tags that contain the text, in the form `name: value`. */
    countByTag(environmentId: number, search: string): Promise<Array<{ key: string; count: number }>> {
      return overviewsStore.countByTag(database.reader, environmentId, search);
    },

    /** For each integration with connections: their number, the number of failing ones, and the last read. */
    listUsage(environmentId: number): Promise<IntegrationUsage[]> {
      return overviewsStore.listUsage(database.reader, environmentId, clock.now());
    },

    /**
     * Connections that were not fetched since the time in the filter, sorted by id. Those whose renewals have ended after
     * too many failures are left out.
     */
    async listUnused(filter: UnusedFilter): Promise<StoredConnection[]> {
      return (await connectionsStore.listUnused(database.reader, filter)).map((row) => ({ ...row, errors: [] }));
    },

    countByIntegration(environmentId: number): Promise<Map<number, number>> {
      return connectionsStore.countByIntegration(database.reader, environmentId);
    },

    /** Id of the oldest connection with this value in its configuration. Compares unsealed values as text. */
    async findIdByConfig(integrationId: number, key: string, text: string): Promise<string | undefined> {
      const [found] = await matchesStore.list(database.reader, integrationId, { in: 'config', key, text });
      return found?.connectionId;
    },

    listOfIntegration(integrationId: number): Promise<Array<{ id: number; connectionId: string }>> {
      return connectionsStore.listOfIntegration(database.reader, integrationId);
    },
  };
}

function toOverview(
  row: ConnectionOverviewRow,
  connection: StoredConnection,
  { isRefreshable, lastError }: { isRefreshable: boolean; lastError: LastErrorRow | undefined },
): ConnectionOverview {
  return {
    ...connection,
    isRefreshable,
    integrationName: row.integrationName,
    status: STATUSES[row.status] ?? 'ok',
    isRunning: row.isRunning === 1,
    syncCount: row.syncCount,
    pausedSyncCount: row.pausedSyncCount,
    recordCount: row.recordCount,
    lastError: lastError ?? null,
  };
}
