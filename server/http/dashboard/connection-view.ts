import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { ConnectionDetail, ConnectionRow } from '../../contract/dashboard/dashboard-connections.ts';
import type { ConnectionOverview } from '../../services/connections/connection-overview.ts';
import type { StoredCredentials } from '../../services/credentials/stored-credentials.ts';
import { isoDate, isoDateOrNull } from '../present/dates.ts';
import { viewCredentials } from './credential-fields.ts';

export interface ConnectionFacts {
  connection: ConnectionOverview;
  /** Undefined when the provider left the catalogue. */
  entry: ProviderEntry | undefined;
  credentials: StoredCredentials;
}

/** Modes whose tokens the hub renews by itself (http-api.md 4); OAUTH2 needs a refresh token for it. */
const REFRESHABLE: readonly string[] = ['APP', 'OAUTH2_CC', 'JWT', 'BILL', 'TWO_STEP', 'SIGNATURE', 'AWS_SIGV4'];
/** How long before its end a token is renewed where the provider says nothing (auth-and-connect.md). */
const REFRESH_BEFORE_SECONDS = 900;

export function isRefreshable(credentials: StoredCredentials): boolean {
  if (credentials.type === 'OAUTH2') return typeof credentials['refresh_token'] === 'string' && credentials['refresh_token'] !== '';
  return REFRESHABLE.includes(credentials.type ?? '');
}

export function viewConnection({ connection, entry, credentials }: ConnectionFacts): ConnectionRow {
  return {
    connectionId: connection.connectionId,
    integrationKey: connection.integrationKey,
    integrationName: connection.integrationName ?? entry?.display_name ?? connection.integrationKey,
    provider: connection.provider,
    authMode: credentials.type ?? entry?.auth_mode ?? 'NONE',
    displayName: connection.endUser?.displayName ?? connection.tags['end_user_display_name'] ?? null,
    email: connection.endUser?.email ?? connection.tags['end_user_email'] ?? null,
    tags: connection.tags,
    status: connection.status,
    isRunning: connection.isRunning,
    errors: connection.errors.map((error) => ({ type: error.type, operationId: error.logId })),
    syncCount: connection.syncCount,
    recordCount: connection.recordCount,
    tokenExpiresAt: isoDateOrNull(connection.credentialsExpireAt),
    isRefreshable: isRefreshable(credentials),
    lastFetchedAt: isoDateOrNull(connection.lastFetchedAt),
    createdAt: isoDate(connection.createdAt),
  };
}

/** `refreshFailure`: what the log says of the failed refresh, when the last one failed. */
export function viewConnectionDetail(facts: ConnectionFacts, refreshFailure: string | null): ConnectionDetail {
  const { connection, entry, credentials } = facts;
  return {
    ...viewConnection(facts),
    endUser: viewEndUser(connection),
    credentials: viewCredentials(credentials, entry),
    scopes: scopesOf(connection, credentials),
    connectionConfig: connection.connectionConfig,
    metadata: connection.metadata ?? {},
    lastRefresh: lastRefresh(facts, refreshFailure),
    nextRefreshAt: nextRefresh(facts),
    updatedAt: isoDate(connection.updatedAt),
  };
}

function viewEndUser({ endUser }: ConnectionOverview): ConnectionDetail['endUser'] {
  return endUser && { id: endUser.id, displayName: endUser.displayName, email: endUser.email, organization: endUser.organization };
}

/** What the provider granted, else what was asked for. */
function scopesOf(connection: ConnectionOverview, credentials: StoredCredentials): string[] {
  const granted = credentials.raw?.['scope'] ?? connection.connectionConfig['oauth_scopes'];
  return typeof granted === 'string' ? granted.split(/[\s,]+/).filter((scope) => scope !== '') : [];
}

function lastRefresh({ connection, credentials }: ConnectionFacts, failure: string | null): ConnectionDetail['lastRefresh'] {
  const succeededAt = connection.lastRefreshSuccessAt ?? 0;
  const failedAt = connection.lastRefreshFailureAt ?? 0;
  if (failedAt > succeededAt) {
    const operationId = connection.errors.find((error) => error.type === 'auth')?.logId ?? null;
    return { at: isoDate(failedAt), succeeded: false, message: failure, operationId };
  }
  // Saving counts as a success; where nothing is ever renewed that says nothing.
  if (succeededAt === 0 || !isRefreshable(credentials)) return null;
  return { at: isoDate(succeededAt), succeeded: true, message: null, operationId: null };
}

function nextRefresh({ connection, entry, credentials }: ConnectionFacts): string | null {
  if (connection.credentialsExpireAt === null || !isRefreshable(credentials)) return null;
  return isoDate(connection.credentialsExpireAt - (entry?.token_expiration_buffer ?? REFRESH_BEFORE_SECONDS) * 1000);
}
