import type { Environment } from '../environments/environment.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { ConnectionRow, EndUserCopy } from './connections.store.ts';
import type { StoredCredentials } from './credentials/stored-credentials.ts';

export type { EndUserCopy } from './connections.store.ts';

/** A live connection without its secrets. */
export type StoredConnection = Omit<ConnectionRow, 'credentials' | 'sealedConfig'> & { errors: ConnectionError[] };

/** A connection with its integration and environment. */
export interface ConnectionContext {
  environment: Environment;
  integration: Integration;
  connection: StoredConnection;
}

export interface ConnectionError {
  type: 'auth' | 'sync';
  logId: string;
}

/** Content of a new or overwritten connection. */
export interface ConnectionContent {
  credentials: StoredCredentials;
  /** When the provider was asked for the credentials, by the clock of that time; without it they are new now. */
  obtainedAt?: number | undefined;
  connectionConfig: Record<string, unknown>;
  metadata: Record<string, unknown> | null;
  endUser: EndUserCopy | null;
  tags: Record<string, string>;
  webhookUrlOverride: string | null;
}

/** The part of an existing connection that an overwrite may keep. */
export type StoredContent = Pick<StoredConnection, 'metadata' | 'tags' | 'endUser' | 'webhookUrlOverride'>;

export type RefreshCounters = Pick<
  ConnectionRow,
  'lastRefreshFailureAt' | 'lastRefreshSuccessAt' | 'refreshAttempts' | 'isRefreshExhausted'
>;

/** The counters of working credentials. */
export function healthy(nowMs: number): RefreshCounters {
  return { lastRefreshSuccessAt: nowMs, lastRefreshFailureAt: null, refreshAttempts: 0, isRefreshExhausted: false };
}
