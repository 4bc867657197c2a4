import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { HomeportError } from '../platform/lib/homeport-error.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import type { ConnectionContent, ConnectionContext, StoredConnection } from './connection.ts';

/** Whether a connection is new, or got new credentials. */
export type ConnectionEvent = 'creation' | 'override';

export interface AuthEventsOptions {
  notifications: Pick<NotificationsService, 'notifyAuth'>;
  catalog: { find(name: string): ProviderEntry | undefined };
  environments: Pick<EnvironmentService, 'find'>;
}

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

/** Sends webhooks to the caller's app about what happened to connections (auth-and-connect.md 4.8). */
export class AuthEvents {
  readonly #options: AuthEventsOptions;

  constructor(options: AuthEventsOptions) {
    this.#options = options;
  }

  succeeded(tx: Transaction, context: AnnouncedContext, event: ConnectionEvent): Promise<void> {
    return this.#options.notifications.notifyAuth({ ...this.#of(context, event), success: true }, tx);
  }

  /** For a connection that exists, or was removed in this transaction. */
  failed(tx: Transaction, context: ConnectionContext, event: ConnectionEvent, error: AuthEventError): Promise<void> {
    return this.#options.notifications.notifyAuth({ ...this.#of(context, event), success: false, error }, tx);
  }

  /** For an attempt that stored no connection. */
  attemptFailed(attempt: FailedAttempt, event: ConnectionEvent, error: AuthEventError): Promise<void> {
    const { environment, integration, connectionId, owners } = attempt;
    return this.#options.notifications.notifyAuth({
      environment,
      connectionId,
      ...this.#provider(integration),
      operation: event,
      success: false,
      ...owners,
      error,
    });
  }

  /** The connection was deleted in this transaction. */
  deleted(tx: Transaction, context: ConnectionContext): Promise<void> {
    return this.#options.notifications.notifyAuth({ ...this.#of(context, 'deletion'), success: true }, tx);
  }

  async refreshFailed(
    tx: Transaction,
    connection: Omit<StoredConnection, 'errors'>,
    failure: HomeportError,
  ): Promise<void> {
    const environment = this.#options.environments.find(connection.environmentId);
    if (!environment) return;
    const { integrationKey: uniqueKey, provider } = connection;
    const event = {
      ...this.#connection(environment, connection),
      ...this.#provider({ uniqueKey, provider }),
      operation: 'refresh' as const,
      success: false,
      error: { type: failure.code, description: failure.message },
    };
    await this.#options.notifications.notifyAuth(event, tx);
  }

  #of({ environment, integration, connection }: AnnouncedContext, operation: ConnectionEvent | 'deletion') {
    return { ...this.#connection(environment, connection), ...this.#provider(integration), operation };
  }

  #connection(environment: Environment, { connectionId, endUser, tags, webhookUrlOverride }: AnnouncedMembers) {
    return { environment, connectionId, endUser, tags, webhookUrlOverride };
  }

  #provider({ uniqueKey, provider }: Pick<Integration, 'uniqueKey' | 'provider'>) {
    const authMode = this.#options.catalog.find(provider)?.auth_mode ?? 'unknown';
    return { providerConfigKey: uniqueKey, provider, authMode };
  }
}
