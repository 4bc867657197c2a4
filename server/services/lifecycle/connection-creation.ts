import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { Database } from '../../database/database.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type { Connection, ConnectionContent, StoredContent } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { Environment, EnvironmentService } from '../environment/environment-service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations-service.ts';
import type { Operation } from '../logs/operation.ts';
import type { AuthNews } from './auth-news.ts';
import type { FunctionSyncs } from './function-syncs.ts';
import type { OnEventRunner } from './on-event-runner.ts';
import type { ProviderSteps } from './provider-steps-runner.ts';

export interface ConnectionCreationOptions {
  database: Database;
  scheduler: Scheduler;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  onEvents: OnEventRunner;
  providerSteps: ProviderSteps;
  functionSyncs: FunctionSyncs;
  news: AuthNews;
}

/** Credentials that are to become a connection, or to replace those of one. */
export interface NewConnection {
  environment: Environment;
  integration: Integration;
  entry: ProviderEntry;
  connectionId: string;
  /** Everything it holds, given what is stored under its id. */
  contentFor(stored: StoredContent | undefined): ConnectionContent;
  /** Whether `validate-connection` functions may refuse it. */
  isValidated: boolean;
  /** What a refused overwrite comes to: the old credentials again, or the new ones with an error on them. */
  onRefusal: 'restore' | 'mark';
  /** Not started yet: a connection that waits for the provider's approval gets no syncs. */
  isPending?: boolean;
  operation: Operation;
}

interface Place {
  environment: Environment;
  integration: Integration;
  connection: Connection;
}

/** Whether a connection is new or got new credentials. */
export type ConnectionEvent = 'creation' | 'override';

/** Kind of the job that follows a new connection for which steps of the provider or of functions must run. */
export const CONNECTION_CREATED = 'connection-created';

/** The one way in which connections come to be: stored, validated, followed up, announced (auth-and-connect.md 2.1). */
export class ConnectionCreation {
  readonly #options: ConnectionCreationOptions;
  readonly #queue = new KeyedQueue();

  constructor(options: ConnectionCreationOptions) {
    this.#options = options;
  }

  /** One after the other for the same connection: a refusal puts back what this very overwrite replaced. */
  create(fresh: NewConnection): Promise<Connection> {
    const { integration, connectionId } = fresh;
    return this.#queue.run(`${integration.id}:${connectionId}`, () => this.#create(fresh));
  }

  /** The job after a creation: the provider's step, functions, syncs, then the news (syncs-and-records.md 1.4). */
  async afterCreation(connectionRowId: number, event: ConnectionEvent): Promise<void> {
    const { connections, database, environments, integrations, news, onEvents, providerSteps } = this.#options;
    const connection = await connections.findByRowId(connectionRowId);
    const environment = connection && environments.find(connection.environmentId);
    const integration = connection && (await integrations.find(connection.environmentId, connection.integrationKey));
    // Deleted again before its turn came.
    if (!connection || !environment || !integration) return;
    const place = { environment, integration, connection };
    await providerSteps.afterConnection(place);
    await onEvents.run(place, 'post-connection-creation');
    // The provider's step may have completed it.
    const isPending = (await connections.findByRowId(connectionRowId))?.connectionConfig['pending'] === true;
    await database.transaction(async (tx) => {
      if (!isPending) await this.#options.functionSyncs.createForConnection(tx, integration, connection);
      await news.succeeded(tx, place, event);
    });
  }

  async #create(fresh: NewConnection): Promise<Connection> {
    const { connections, database } = this.#options;
    const { environment, integration, connectionId } = fresh;
    const { replaced } = await database.transaction(
      (tx) => connections.save(tx, integration, connectionId, (stored) => fresh.contentFor(stored)),
      { durable: true },
    );
    const connection = await connections.find(integration, connectionId);
    if (!connection) throw new HomeportError('server_error', 'The connection was removed while it was created.');
    const place = { environment, integration, connection };
    if (fresh.isValidated) await this.#validate(fresh, place, replaced);
    await this.#follow(place, fresh.entry, replaced ? 'override' : 'creation', fresh.isPending ?? false);
    return connection;
  }

  /** A refused new connection leaves nothing behind; a refused overwrite is undone or marked. */
  async #validate(
    fresh: NewConnection,
    place: Place,
    replaced: Awaited<ReturnType<ConnectionsService['save']>>['replaced'],
  ): Promise<void> {
    const { connections, database, news, onEvents } = this.#options;
    const [refusal] = await onEvents.run(place, 'validate-connection');
    if (!refusal) return;
    const { connection } = place;
    const logId = fresh.operation.id;
    if (!replaced) await connections.purge(connection);
    else if (fresh.onRefusal === 'restore') await connections.restore(replaced, logId);
    else {
      const error = { type: 'auth' as const, source: '', logId };
      await database.transaction((tx) => connections.setError(tx, connection.id, error));
    }
    const failure = new HomeportError('connection_validation_failed', refusal.message);
    await news.failed(place, replaced ? 'override' : 'creation', { type: failure.code, description: failure.message });
    throw failure;
  }

  async #follow(place: Place, entry: ProviderEntry, event: ConnectionEvent, isPending: boolean): Promise<void> {
    const { database, functionSyncs, news, onEvents, providerSteps, scheduler } = this.#options;
    const { environment, integration, connection } = place;
    const needsJob =
      providerSteps.hasStepAfter(entry) ||
      (await onEvents.hasFunctions(environment, integration, 'post-connection-creation'));
    await database.transaction(async (tx) => {
      if (needsJob) {
        const payload = { connectionRowId: connection.id, event };
        await scheduler.enqueue(tx, { kind: CONNECTION_CREATED, payload });
        return;
      }
      if (!isPending) await functionSyncs.createForConnection(tx, integration, connection);
      await news.succeeded(tx, place, event);
    });
  }
}
