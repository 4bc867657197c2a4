import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { HomeportError } from '../platform/lib/homeport-error.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import type { ConnectionContent, ConnectionContext, StoredConnection } from './connection.ts';

/** Whether a connection is new, or got new credentials. */
export type ConnectionEvent = 'creation' | 'override';

/** An attempt that created no connection. */
export interface FailedAttempt {
  environment: Environment;
  integration: Integration;
  connectionId: string;
  owners: Pick<ConnectionContent, 'endUser' | 'tags' | 'webhookUrlOverride'>;
}

export interface AuthEventError {
  type: string;
  description: string;
}

/** Members of a connection that the webhook contains. */
type AnnouncedMembers = Pick<StoredConnection, 'connectionId' | 'endUser' | 'tags' | 'webhookUrlOverride'>;
type AnnouncedContext = Omit<ConnectionContext, 'connection'> & { connection: AnnouncedMembers };

export type AuthEvents = ReturnType<typeof createAuthEvents>;

/** Sends webhooks to the caller's app about what happened to connections (auth-and-connect.md 4.8). */
export function createAuthEvents({
  notifications,
  catalog,
  environments,
}: {
  notifications: Pick<NotificationsService, 'notifyAuth'>;
  catalog: { find(name: string): ProviderEntry | undefined };
  environments: Pick<EnvironmentService, 'find'>;
}) {
  function succeeded(tx: Transaction, context: AnnouncedContext, event: ConnectionEvent): Promise<void> {
    return notifications.notifyAuth({ ...eventOf(context, event), success: true }, tx);
  }

  /** For a connection that exists, or was removed in this transaction. */
  function failed(
    tx: Transaction,
    context: ConnectionContext,
    event: ConnectionEvent,
    error: AuthEventError,
  ): Promise<void> {
    return notifications.notifyAuth({ ...eventOf(context, event), success: false, error }, tx);
  }

  /** For an attempt that stored no connection. */
  function attemptFailed(attempt: FailedAttempt, event: ConnectionEvent, error: AuthEventError): Promise<void> {
    const { environment, integration, connectionId, owners } = attempt;
    return notifications.notifyAuth({
      environment,
      connectionId,
      ...providerOf(integration),
      operation: event,
      success: false,
      ...owners,
      error,
    });
  }

  /** The connection was deleted in this transaction. */
  function deleted(tx: Transaction, context: ConnectionContext): Promise<void> {
    return notifications.notifyAuth({ ...eventOf(context, 'deletion'), success: true }, tx);
  }

  async function refreshFailed(
    tx: Transaction,
    connection: Omit<StoredConnection, 'errors'>,
    failure: HomeportError,
  ): Promise<void> {
    const environment = environments.find(connection.environmentId);
    if (!environment) return;
    const { integrationKey: uniqueKey, provider } = connection;
    const event = {
      ...membersOf(environment, connection),
      ...providerOf({ uniqueKey, provider }),
      operation: 'refresh' as const,
      success: false,
      error: { type: failure.code, description: failure.message },
    };
    await notifications.notifyAuth(event, tx);
  }

  function eventOf(
    { environment, integration, connection }: AnnouncedContext,
    operation: ConnectionEvent | 'deletion',
  ) {
    return { ...membersOf(environment, connection), ...providerOf(integration), operation };
  }

  function membersOf(environment: Environment, { connectionId, endUser, tags, webhookUrlOverride }: AnnouncedMembers) {
    return { environment, connectionId, endUser, tags, webhookUrlOverride };
  }

  function providerOf({ uniqueKey, provider }: Pick<Integration, 'uniqueKey' | 'provider'>) {
    const authMode = catalog.find(provider)?.auth_mode ?? 'unknown';
    return { providerConfigKey: uniqueKey, provider, authMode };
  }

  return { succeeded, failed, attemptFailed, deleted, refreshFailed };
}
