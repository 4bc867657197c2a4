import type { SqlValue } from '../platform/database/database.ts';

/** One connection with its integration's key and provider; credentials and secret configuration stay sealed. */
export interface ConnectionRow {
  id: number;
  environmentId: number;
  integrationId: number;
  integrationKey: string;
  provider: string;
  connectionId: string;
  credentials: string;
  credentialsType: string | null;
  credentialsExpireAt: number | null;
  /** When the credentials end if nothing can renew them (`UNKNOWN_END`: not looked at yet); null when they do not. */
  credentialsEndAt: number | null;
  /** When the provider was asked for the credentials, by the clock of that time. */
  credentialsObtainedAt: number | null;
  connectionConfig: Record<string, unknown>;
  sealedConfig: string | null;
  metadata: Record<string, unknown> | null;
  tags: Record<string, string>;
  endUser: EndUserCopy | null;
  webhookUrlOverride: string | null;
  /** Includes background refreshes. */
  lastFetchedAt: number | null;
  /** Use by an app, a function or the proxy. */
  lastUsedAt: number | null;
  lastRefreshSuccessAt: number | null;
  lastRefreshFailureAt: number | null;
  refreshAttempts: number;
  isRefreshExhausted: boolean;
  /** Minimum level of log lines that functions write for this connection; null means the environment's level. */
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'off' | null;
  createdAt: number;
  updatedAt: number;
}

/** The connection's own copy of its end user (seed, Versioning: never shared between connections). */
export interface EndUserCopy {
  id: string;
  displayName: string | null;
  email: string | null;
  tags: Record<string, string> | null;
  organization: { id: string; displayName: string | null } | null;
}

export type ConnectionWrite = Pick<
  ConnectionRow,
  | 'credentials'
  | 'credentialsType'
  | 'credentialsExpireAt'
  | 'credentialsEndAt'
  | 'credentialsObtainedAt'
  | 'connectionConfig'
  | 'sealedConfig'
  | 'metadata'
  | 'tags'
  | 'endUser'
  | 'webhookUrlOverride'
  | 'lastRefreshSuccessAt'
  | 'lastRefreshFailureAt'
  | 'refreshAttempts'
  | 'isRefreshExhausted'
>;

/** One row of `COLUMNS`. */
export interface SqlRow {
  id: number;
  environment_id: number;
  integration_id: number;
  unique_key: string;
  provider: string;
  connection_id: string;
  credentials: string;
  credentials_type: string | null;
  credentials_expire_at: number | null;
  credentials_end_at: number | null;
  credentials_obtained_at: number | null;
  connection_config: string;
  sealed_config: string | null;
  metadata: string | null;
  tags: string;
  end_user: string | null;
  webhook_url_override: string | null;
  last_fetched_at: number | null;
  last_used_at: number | null;
  last_refresh_success_at: number | null;
  last_refresh_failure_at: number | null;
  refresh_attempts: number;
  is_refresh_exhausted: number;
  log_level: ConnectionRow['logLevel'];
  created_at: number;
  updated_at: number;
}

/** Of `connections c` joined with its `integrations i`. */
export const COLUMNS = `c.id, c.environment_id, c.integration_id, i.unique_key, i.provider, c.connection_id, c.credentials,
  c.credentials_type, c.credentials_expire_at, c.credentials_end_at, c.credentials_obtained_at, c.connection_config, c.sealed_config,
  c.metadata, c.tags, c.end_user, c.webhook_url_override, c.last_fetched_at, c.last_used_at, c.last_refresh_success_at, c.last_refresh_failure_at, c.refresh_attempts,
  c.is_refresh_exhausted, c.log_level, c.created_at, c.updated_at`;

const parse = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));

export function toConnection(row: SqlRow): ConnectionRow {
  return {
    id: row.id,
    environmentId: row.environment_id,
    integrationId: row.integration_id,
    integrationKey: row.unique_key,
    provider: row.provider,
    connectionId: row.connection_id,
    credentials: row.credentials,
    credentialsType: row.credentials_type,
    credentialsExpireAt: row.credentials_expire_at,
    credentialsEndAt: row.credentials_end_at,
    credentialsObtainedAt: row.credentials_obtained_at,
    connectionConfig: JSON.parse(row.connection_config) as Record<string, unknown>,
    sealedConfig: row.sealed_config,
    metadata: parse(row.metadata),
    tags: JSON.parse(row.tags) as Record<string, string>,
    endUser: parse(row.end_user),
    webhookUrlOverride: row.webhook_url_override,
    lastFetchedAt: row.last_fetched_at,
    lastUsedAt: row.last_used_at,
    lastRefreshSuccessAt: row.last_refresh_success_at,
    lastRefreshFailureAt: row.last_refresh_failure_at,
    refreshAttempts: row.refresh_attempts,
    isRefreshExhausted: row.is_refresh_exhausted === 1,
    logLevel: row.log_level,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** In the order of the columns of `insert` and `update`. */
export function writeValues(row: ConnectionWrite): SqlValue[] {
  return [
    row.credentials,
    row.credentialsType,
    row.credentialsExpireAt,
    row.credentialsEndAt,
    row.credentialsObtainedAt,
    JSON.stringify(row.connectionConfig),
    row.sealedConfig,
    row.metadata === null ? null : JSON.stringify(row.metadata),
    JSON.stringify(row.tags),
    row.endUser === null ? null : JSON.stringify(row.endUser),
    row.webhookUrlOverride,
    row.lastRefreshSuccessAt,
    row.lastRefreshFailureAt,
    row.refreshAttempts,
    row.isRefreshExhausted ? 1 : 0,
  ];
}
