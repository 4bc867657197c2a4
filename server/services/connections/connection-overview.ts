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

/** A connection as lists show it. */
export interface ConnectionOverview extends StoredConnection {
  /** Own name of its integration; null = the provider's. */
  integrationName: string | null;
  /** The worst thing true of it. */
  status: ConnectionStatus;
  /** Its token is renewed without the user. */
  isRefreshable: boolean;
  /** One of its syncs runs. */
  isRunning: boolean;
  syncCount: number;
  /** Live records of all models. */
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
