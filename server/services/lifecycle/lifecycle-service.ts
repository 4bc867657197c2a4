import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { CreateConnectionBody } from '../../contract/api/connections.ts';
import type { CreateIntegrationBody } from '../../contract/api/integrations.ts';
import type { Database, Writable } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type { Connection, ConnectionContent, EndUserCopy } from '../connections/connection.ts';
import { type ConnectionsService, mergeTags, toEndUserCopy } from '../connections/connections-service.ts';
import { type StoredCredentials, toStoredCredentials } from '../credentials/credentials-service.ts';
import type { Environment, EnvironmentService } from '../environment/environment-service.ts';
import type { AppCredentials, Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations-service.ts';
import type { Operation, OperationLog } from '../logs/operation.ts';
import type { FunctionSyncs } from './function-syncs.ts';
import type { OnEventRunner } from './on-event-runner.ts';

/** Asks the provider whether credentials work, before anything is stored (providers.md 9). */
export type VerifyCredentials = (parts: {
  entry: ProviderEntry;
  integration: Integration;
  app: AppCredentials;
  /** Values of the entry's `integration_config`. */
  custom: Record<string, string>;
  credentials: StoredCredentials;
  connectionConfig: Record<string, unknown>;
  metadata: Record<string, unknown>;
}) => Promise<{ ok: true } | { ok: false; message: string }>;

export interface LifecycleServiceOptions {
  database: Database;
  clock: Clock;
  log: OperationLog;
  scheduler: Scheduler;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  onEvents: OnEventRunner;
  functionSyncs: FunctionSyncs;
  verify: VerifyCredentials;
}

export interface ImportedConnection {
  connection: Connection;
  credentials: StoredCredentials;
  /** Secret fields included. */
  config: Record<string, unknown>;
}

/** Kind of the job that follows a new connection whose integration has post-connection functions. */
export const CONNECTION_CREATED = 'connection-created';

/** Modes that an import verifies at the provider (http-api.md 4). */
const VERIFIED_MODES: readonly string[] = ['API_KEY', 'BASIC', 'TBA'];
/** Modes whose token is made at the provider, which is the authorization flows' business. */
const MINTED_MODES: readonly string[] = ['APP', 'CUSTOM'];

interface Place {
  environment: Environment;
  integration: Integration;
  connection: Connection;
}

/** What is created and removed together with all that follows from it. */
export class LifecycleService {
  readonly #options: LifecycleServiceOptions;

  constructor(options: LifecycleServiceOptions) {
    this.#options = options;
  }

  createIntegration(environment: Environment, body: CreateIntegrationBody): Promise<Integration> {
    return this.#options.integrations.create(environment.id, body);
  }

  /** Removes the integration with its connections, schedules and records; no pre-deletion functions (http-api.md 3). */
  async deleteIntegration(environment: Environment, uniqueKey: string): Promise<void> {
    const { connections, database, integrations } = this.#options;
    // Also when its provider left the catalogue.
    const integration = await integrations.find(environment.id, uniqueKey);
    if (!integration) throw new HomeportError('not_found', `There is no integration "${uniqueKey}".`);
    await database.transaction(
      async (tx) => {
        // Read while nobody else can write: an import that just ended belongs to it too.
        const all = await connections.listOfIntegration(integration.id);
        await this.#removeRows(tx, integration, all);
        await integrations.remove(tx, integration);
      },
      { durable: true },
    );
  }

  /**
   * Imports credentials as a connection, or overwrites the one of that id (http-api.md 4). What is trusted is
   * neither verified at the provider nor shown to `validate-connection` functions.
   */
  async importConnection(
    environment: Environment,
    body: CreateConnectionBody,
    { isTrusted = false } = {},
  ): Promise<ImportedConnection> {
    const { integrations, log } = this.#options;
    const { integration, entry } = await integrations.get(environment.id, body.provider_config_key);
    checkMode(entry, body);
    const connectionConfig = body.connection_config ?? {};
    const credentials = toStoredCredentials(body.credentials, this.#options.clock.now());
    const connectionId = body.connection_id ?? this.#options.connections.newConnectionId();
    const operation = log.start({
      environmentId: environment.id,
      type: 'auth',
      action: 'create_connection',
      message: `Import connection ${connectionId}`,
      integrationKey: integration.uniqueKey,
      providerName: integration.provider,
      connectionId,
      trigger: 'api',
    });
    try {
      if (!isTrusted) await this.#verify(entry, integration, credentials, connectionConfig, body.metadata ?? {});
      const { connection, isNew } = await this.#store(integration, connectionId, credentials, connectionConfig, body);
      const place = { environment, integration, connection };
      if (!isTrusted) await this.#validate(place, isNew, operation);
      await this.#follow(place);
      operation.finish('success');
      return { connection, credentials, config: connectionConfig };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      operation.finish('failed', {
        error: { message, ...(error instanceof HomeportError ? { type: error.code } : {}) },
      });
      throw error;
    }
  }

  /** Runs the pre-deletion functions, then removes the connection; resolves to whether a row went. */
  async deleteConnection(environment: Environment, uniqueKey: string, connectionId: string): Promise<boolean> {
    const { connections, database, integrations, onEvents } = this.#options;
    const integration = await integrations.find(environment.id, uniqueKey);
    const connection = integration && (await connections.find(integration, connectionId));
    if (!integration || !connection)
      throw new HomeportError('unknown_connection', 'There is no such connection.', { silent: true });
    // Their failures are in the log; the deletion goes on (functions.md 7.5).
    await onEvents.run({ environment, integration, connection }, 'pre-connection-deletion');
    const removed = await database.transaction((tx) => this.#removeRows(tx, integration, [connection]), {
      durable: true,
    });
    return removed > 0;
  }

  /** The job after a creation: post-connection functions first, then the syncs (syncs-and-records.md 1.4). */
  async afterCreation(connectionRowId: number): Promise<void> {
    const { connections, environments, integrations, onEvents } = this.#options;
    const connection = await connections.findByRowId(connectionRowId);
    const environment = connection && environments.find(connection.environmentId);
    const integration = connection && (await integrations.find(connection.environmentId, connection.integrationKey));
    // Deleted again before its turn came.
    if (!connection || !environment || !integration) return;
    await onEvents.run({ environment, integration, connection }, 'post-connection-creation');
    await this.#createSyncs({ environment, integration, connection });
  }

  async #store(
    integration: Integration,
    connectionId: string,
    credentials: StoredCredentials,
    connectionConfig: Record<string, unknown>,
    body: CreateConnectionBody,
  ): Promise<{ connection: Connection; isNew: boolean }> {
    const { connections, database } = this.#options;
    // An end user that is not sent stays (http-api.md 4).
    const contentFor = (stored: EndUserCopy | null): ConnectionContent => {
      const endUser = body.end_user ? toEndUserCopy(body.end_user, stored) : stored;
      return {
        credentials,
        connectionConfig,
        metadata: body.metadata ?? {},
        endUser,
        tags: mergeTags(body.end_user ? endUser : null, body.tags),
        webhookUrlOverride: body.webhook_url_override || null,
      };
    };
    const { isNew } = await database.transaction((tx) => connections.save(tx, integration, connectionId, contentFor), {
      durable: true,
    });
    const connection = await connections.find(integration, connectionId);
    if (!connection) throw new HomeportError('server_error', 'The connection was removed while it was created.');
    return { connection, isNew };
  }

  async #verify(
    entry: ProviderEntry,
    integration: Integration,
    credentials: StoredCredentials,
    connectionConfig: Record<string, unknown>,
    metadata: Record<string, unknown>,
  ): Promise<void> {
    if (!VERIFIED_MODES.includes(entry.auth_mode)) return;
    const { integrations, verify } = this.#options;
    const [app, custom] = await Promise.all([
      integrations.readAppCredentials(integration.environmentId, integration.uniqueKey),
      integrations.readCustom(integration.environmentId, integration.uniqueKey),
    ]);
    const verdict = await verify({ entry, integration, app, custom, credentials, connectionConfig, metadata });
    if (!verdict.ok) throw new HomeportError('connection_test_failed', verdict.message);
  }

  /** A refused new connection leaves nothing behind; a refused overwrite is marked (http-api.md 4). */
  async #validate(place: Place, isNew: boolean, operation: Operation): Promise<void> {
    const [failure] = await this.#options.onEvents.run(place, 'validate-connection');
    if (!failure) return;
    if (isNew) await this.#options.connections.purge(place.connection);
    else
      await this.#options.connections.setError(place.connection.id, { type: 'auth', source: '', logId: operation.id });
    throw new HomeportError('connection_validation_failed', failure.message);
  }

  async #follow(place: Place): Promise<void> {
    const { database, onEvents, scheduler } = this.#options;
    if (!(await onEvents.hasFunctions(place.environment, place.integration, 'post-connection-creation'))) {
      await this.#createSyncs(place);
      return;
    }
    const payload = { connectionRowId: place.connection.id };
    await database.transaction((tx) => scheduler.enqueue(tx, { kind: CONNECTION_CREATED, payload }));
  }

  async #createSyncs(place: Place): Promise<void> {
    const syncs = await this.#options.functionSyncs.listEnabled(place.environment.id, place.integration.uniqueKey);
    await this.#options.database.transaction((tx) =>
      this.#options.functionSyncs.createForConnection(tx, place.integration, place.connection, syncs),
    );
  }

  async #removeRows(
    tx: Writable,
    integration: Integration,
    all: Array<{ id: number; connectionId: string }>,
  ): Promise<number> {
    await this.#options.functionSyncs.removeConnections(
      tx,
      all.map(({ id }) => id),
    );
    return this.#options.connections.remove(tx, integration, all);
  }
}

function checkMode(entry: ProviderEntry, body: CreateConnectionBody): void {
  const { type } = body.credentials;
  if (type !== entry.auth_mode) {
    throw new HomeportError(
      'invalid_body',
      `This provider uses ${entry.auth_mode}; credentials of type ${type} do not fit.`,
    );
  }
  if (MINTED_MODES.includes(type)) {
    throw new HomeportError(
      'invalid_body',
      `Credentials of type ${type} cannot be imported yet; only sign-in makes them.`,
    );
  }
  if (type === 'TBA' && typeof body.connection_config?.['accountId'] !== 'string') {
    throw new HomeportError('invalid_body', 'TBA credentials need connection_config.accountId.');
  }
}
