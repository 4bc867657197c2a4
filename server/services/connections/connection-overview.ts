import {
  type ConnectionOverviewRow,
  type ConnectionStatus,
  type OverviewFilter,
  type OverviewOrder,
  STATUSES,
} from '../../stores/connection-overviews-store.ts';
import type { StoredCredentials } from '../credentials/stored-credentials.ts';
import type { Connection } from './connection.ts';

export type { ConnectionStatus, IntegrationUsage, OverviewOrder } from '../../stores/connection-overviews-store.ts';

/** A connection as lists show it. */
export interface ConnectionOverview extends Connection {
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
}

export type OverviewQuery = OverviewFilter & OverviewOrder;

export interface OverviewPage {
  connections: ConnectionOverview[];
  total: number;
  snapshot: number;
}

/** Types whose tokens the hub renews by itself (http-api.md 4); OAUTH2 needs a refresh token for it. */
const REFRESHABLE: readonly string[] = ['APP', 'OAUTH2_CC', 'JWT', 'BILL', 'TWO_STEP', 'SIGNATURE', 'AWS_SIGV4'];

/** Opens the credentials only where the type does not tell. */
export function isRefreshable(type: string | null, open: () => StoredCredentials): boolean {
  return type === 'OAUTH2' ? Boolean(open()['refresh_token']) : type !== null && REFRESHABLE.includes(type);
}

export function toOverview(
  row: ConnectionOverviewRow,
  connection: Connection,
  canRefresh: boolean,
): ConnectionOverview {
  return {
    ...connection,
    isRefreshable: canRefresh,
    integrationName: row.integrationName,
    status: STATUSES[row.status] ?? 'ok',
    isRunning: row.isRunning === 1,
    syncCount: row.syncCount,
    recordCount: row.recordCount,
  };
}
