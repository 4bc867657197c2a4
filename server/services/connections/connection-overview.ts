import {
  type ConnectionOverviewRow,
  type ConnectionStatus,
  type LastErrorRow,
  type OverviewFilter,
  type OverviewOrder,
  STATUSES,
} from '../../stores/connection-overviews-store.ts';
import type { StoredConnection } from './connection.ts';

export type { ConnectionStatus, IntegrationUsage, OverviewOrder } from '../../stores/connection-overviews-store.ts';

/** A connection for lists. */
export interface ConnectionOverview extends StoredConnection {
  /** The integration's own name; null means the provider's name. */
  integrationName: string | null;
  /** The worst applicable status. */
  status: ConnectionStatus;
  /** True when its token is renewed without the user. */
  isRefreshable: boolean;
  /** True while one of its syncs runs. */
  isRunning: boolean;
  syncCount: number;
  /** Number of live records of all models. */
  recordCount: number;
  lastError: Omit<LastErrorRow, 'connectionRowId'> | null;
}

export type OverviewQuery = OverviewFilter & OverviewOrder;

export interface OverviewPage {
  connections: ConnectionOverview[];
  total: number;
  snapshot: number;
}

export function toOverview(
  row: ConnectionOverviewRow,
  connection: StoredConnection,
  { canRefresh, lastError }: { canRefresh: boolean; lastError: LastErrorRow | undefined },
): ConnectionOverview {
  return {
    ...connection,
    isRefreshable: canRefresh,
    integrationName: row.integrationName,
    status: STATUSES[row.status] ?? 'ok',
    isRunning: row.isRunning === 1,
    syncCount: row.syncCount,
    recordCount: row.recordCount,
    lastError: lastError ?? null,
  };
}
