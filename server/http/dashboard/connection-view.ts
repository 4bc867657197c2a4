import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { ConnectionDetail, ConnectionRow } from '../../contract/dashboard/dashboard-connections.ts';
import type { ConnectionOverview } from '../../services/connections/connection-overview.ts';
import type { StoredCredentials } from '../../services/credentials/stored-credentials.ts';
import { isoDate, isoDateOrNull } from '../present/dates.ts';
import { viewCredentials } from './credential-fields.ts';

/** `entry` is undefined when the provider left the catalogue. */
type Entry = ProviderEntry | undefined;

export interface ConnectionFacts {
  connection: ConnectionOverview;
  entry: Entry;
  credentials: StoredCredentials;
  /** What the log says of the last refresh, when it failed. */
  refreshFailure: string | null;
}

/** How long before its end a token is renewed where the provider says nothing (auth-and-connect.md). */
const REFRESH_BEFORE_SECONDS = 900;

export function viewConnection(connection: ConnectionOverview, entry: Entry): ConnectionRow {
  return {
    connectionId: connection.connectionId,
    integrationKey: connection.integrationKey,
    integrationName: connection.integrationName ?? entry?.display_name ?? connection.integrationKey,
    provider: connection.provider,
    authMode: connection.credentialsType ?? entry?.auth_mode ?? 'NONE',
    displayName: connection.endUser?.displayName ?? connection.tags['end_user_display_name'] ?? null,
    email: connection.endUser?.email ?? connection.tags['end_user_email'] ?? null,
    tags: connection.tags,
    status: connection.status,
    isRunning: connection.isRunning,
    errors: connection.errors.map((error) => ({ type: error.type, operationId: error.logId })),
    syncCount: connection.syncCount,
    recordCount: connection.recordCount,
    tokenExpiresAt: isoDateOrNull(connection.credentialsExpireAt),
    isRefreshable: connection.isRefreshable,
    lastUsedAt: isoDateOrNull(connection.lastUsedAt),
    createdAt: isoDate(connection.createdAt),
  };
}

export function viewConnectionDetail(facts: ConnectionFacts): ConnectionDetail {
  const { connection, entry, credentials } = facts;
  return {
    ...viewConnection(connection, entry),
    endUser: viewEndUser(connection),
    credentials: viewCredentials(credentials, entry),
    scopes: scopesOf(connection, credentials),
    connectionConfig: connection.connectionConfig,
    metadata: connection.metadata ?? {},
    lastRefresh: lastRefresh(facts),
    nextRefreshAt: nextRefresh(facts),
    updatedAt: isoDate(connection.updatedAt),
  };
}

function viewEndUser({ endUser }: ConnectionOverview): ConnectionDetail['endUser'] {
  return (
    endUser && {
      id: endUser.id,
      displayName: endUser.displayName,
      email: endUser.email,
      organization: endUser.organization,
    }
  );
}

/** What the provider granted, else what was asked for. */
function scopesOf(connection: ConnectionOverview, credentials: StoredCredentials): string[] {
  const granted = credentials.raw?.['scope'] ?? connection.connectionConfig['oauth_scopes'];
  return typeof granted === 'string' ? granted.split(/[\s,]+/).filter((scope) => scope !== '') : [];
}

function lastRefresh({ connection, refreshFailure }: ConnectionFacts): ConnectionDetail['lastRefresh'] {
  const succeededAt = connection.lastRefreshSuccessAt ?? 0;
  const failedAt = connection.lastRefreshFailureAt ?? 0;
  if (failedAt > succeededAt) {
    const operationId = connection.errors.find((error) => error.type === 'auth')?.logId ?? null;
    return { at: isoDate(failedAt), succeeded: false, message: refreshFailure, operationId };
  }
  // Saving counts as a success; where nothing is ever renewed that says nothing.
  if (succeededAt === 0 || !connection.isRefreshable) return null;
  return { at: isoDate(succeededAt), succeeded: true, message: null, operationId: null };
}

function nextRefresh({ connection, entry }: ConnectionFacts): string | null {
  if (connection.credentialsExpireAt === null || !connection.isRefreshable) return null;
  return isoDate(connection.credentialsExpireAt - (entry?.token_expiration_buffer ?? REFRESH_BEFORE_SECONDS) * 1000);
}
