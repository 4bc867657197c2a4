import type { AuthEvents } from '../connections/auth-events.ts';
import type { ConnectionContent, StoredConnection, StoredContent } from '../connections/connection.ts';
import type { CreateConnectionBody } from '../connections/connections.contract.ts';
import { type ConnectionsService, mergeTags, toEndUserCopy } from '../connections/connections.service.ts';
import {
  type CredentialsService,
  type IssuedCredentials,
  type StoredCredentials,
  toStoredCredentials,
} from '../connections/credentials/credentials.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { RunsService } from '../functions/runs/runs.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { CreateIntegrationBody } from '../integrations/integrations.contract.ts';
import {
  checkCredentialsType,
  type IntegrationParts,
  type IntegrationsService,
  missingIntegration,
} from '../integrations/integrations.service.ts';
import type { Operation, OperationLog } from '../log/operation.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { presetConfig } from '../platform/lib/preset-config.ts';
import { secretsOf } from '../platform/lib/secrets.ts';
import type { ClientRegistration } from './client-registration.ts';
import type { ConnectionCreation } from './connection-creation.ts';
import type { ConnectionTests } from './connection-tests.ts';
import type { ErasureRequests } from './erasure-requests.ts';
import type { FunctionSyncs } from './function-syncs.ts';
import type { OnEventRunner } from './on-event-runner.ts';
import type { ProviderSteps } from './provider-steps-runner.ts';

export { ERASE_PERSON, type ErasureJob } from './erasure-requests.ts';

export interface ImportedConnection {
  connection: StoredConnection;
  credentials: StoredCredentials;
  /** Includes secret fields. */
  config: Record<string, unknown>;
}

export type LifecycleService = ReturnType<typeof createLifecycleService>;

/** Creates and removes integrations and connections together with everything that depends on them. */
export function createLifecycleService({
  authEvents,
  database,
  clock,
  log,
  integrations,
  connections,
  credentials,
  creation,
  tests,
  onEvents,
  providerSteps,
  functionSyncs,
  registration,
  runs,
  erasures,
}: {
  authEvents: AuthEvents;
  database: Database;
  clock: Clock;
  log: OperationLog;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  credentials: CredentialsService;
  creation: ConnectionCreation;
  tests: ConnectionTests;
  onEvents: OnEventRunner;
  providerSteps: ProviderSteps;
  functionSyncs: FunctionSyncs;
  registration: ClientRegistration;
  runs: Pick<RunsService, 'endOnConnections'>;
  erasures: Pick<ErasureRequests, 'add'>;
}) {
  async function prepare(environment: Environment, integration: Integration): Promise<Integration> {
    await registration.prepare(environment, integration);
    return integration;
  }

  /** The token of an installed app is not sent but fetched (http-api.md 4). */
  async function toCredentials(
    integration: Integration,
    entry: ProviderEntry,
    body: CreateConnectionBody,
    operation: Operation,
  ): Promise<IssuedCredentials> {
    const { credentials: sent } = body;
    const askedAt = clock.now();
    if (sent.type !== 'APP' && sent.type !== 'CUSTOM')
      return { credentials: toStoredCredentials(sent, askedAt), askedAt };
    const ids = { app_id: sent.app_id, installation_id: sent.installation_id };
    const { environmentId, uniqueKey } = integration;
    const [app, custom] = await Promise.all([
      integrations.readAppCredentials(environmentId, uniqueKey),
      integrations.readCustom(environmentId, uniqueKey),
    ]);
    const connectionConfig = { ...body.connection_config, ...ids };
    try {
      const issued = await credentials.issue(
        { environmentId, entry, app: { ...app, appId: app.appId ?? sent.app_id }, custom, connectionConfig, operation },
        ids,
      );
      return { ...issued, config: { ...issued.config, ...ids } };
    } catch (error) {
      if (!(error instanceof HomeportError)) throw error;
      throw new HomeportError('server_error', error.message, { cause: error });
    }
  }

  async function removeRows(
    tx: Transaction,
    integration: Integration,
    all: Array<{ id: number; connectionId: string }>,
  ): Promise<number> {
    const ids = all.map(({ id }) => id);
    await erasures.add(tx, ids);
    await functionSyncs.removeConnections(tx, ids);
    return connections.remove(tx, integration, all);
  }

  return {
    async createIntegration(environment: Environment, body: CreateIntegrationBody): Promise<Integration> {
      return prepare(environment, await integrations.create(environment.id, body));
    },
    /** The integration may lack required fields; the dashboard asks for them later. */
    async createIntegrationFromConfig(environment: Environment, parts: IntegrationParts): Promise<Integration> {
      return prepare(environment, await integrations.createFromConfig(environment.id, parts));
    },
    /**
     * Removes the integration with its connections, schedules and records; pre-deletion functions do not run (http-api.md
     * 3).
     */
    async deleteIntegration(environment: Environment, uniqueKey: string): Promise<void> {
      // Also works when its provider is no longer in the catalogue.
      const integration = await integrations.find(environment.id, uniqueKey);
      if (!integration) throw missingIntegration(uniqueKey);
      const gone = await database.transaction(
        async (tx) => {
          // Read inside the transaction, so that an import that has just ended is included.
          const all = await connections.listOfIntegration(integration.id);
          if (environment.settings.webhook.onConnectionDeletion)
            for (const { connectionId } of all) {
              const connection = await connections.find(integration, connectionId);
              if (connection) await authEvents.deleted(tx, { environment, integration, connection });
            }
          await removeRows(tx, integration, all);
          if (!(await integrations.remove(tx, integration))) throw missingIntegration(uniqueKey);
          return all;
        },
        { durable: true },
      );
      runs.endOnConnections(gone.map(({ id }) => id));
    },
    /**
     * Imports credentials as a connection, or overwrites the connection with this id (http-api.md 4). Trusted credentials
     * are neither verified at the provider nor passed to `validate-connection` functions.
     */
    async importConnection(
      environment: Environment,
      body: CreateConnectionBody,
      { isTrusted = false } = {},
    ): Promise<ImportedConnection> {
      const { integration, entry } = await integrations.get(environment.id, body.provider_config_key);
      checkMode(entry, body);
      const preset = presetConfig(entry, await integrations.readCustom(environment.id, integration.uniqueKey));
      const connectionId = body.connection_id ?? connections.newConnectionId();
      const operation = log.start({
        environmentId: environment.id,
        type: 'auth',
        action: 'create_connection',
        message: `Import connection ${connectionId}`,
        integrationKey: integration.uniqueKey,
        providerName: integration.provider,
        connectionId,
        trigger: 'api',
        secrets: secretsOf(body.credentials),
      });
      try {
        const issued = await toCredentials(integration, entry, body, operation);
        const { credentials } = issued;
        operation.redactSecrets(secretsOf(credentials));
        const config = { ...body.connection_config, ...issued.config, ...preset };
        if (!isTrusted) {
          const metadata = body.metadata ?? {};
          await tests.check({ entry, integration, credentials, connectionConfig: config, metadata }, 'import');
        }
        const context = { environment, integration, entry, connectionId, operation };
        const contentFor = (stored: StoredContent | undefined): ConnectionContent =>
          toContent(body, stored, issued, config);
        const connection = await creation.create({
          ...context,
          contentFor,
          isValidated: !isTrusted,
          onRefusal: 'mark',
        });
        operation.finish('success');
        return { connection, credentials, config };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        operation.finish('failed', {
          error: { message, ...(error instanceof HomeportError ? { type: error.code } : {}) },
        });
        throw error;
      }
    },
    /**
     * Runs the steps of the provider and the pre-deletion functions, then removes the connection. Resolves to whether it
     * existed.
     */
    async deleteConnection(environment: Environment, uniqueKey: string, connectionId: string): Promise<boolean> {
      const integration = await integrations.find(environment.id, uniqueKey);
      const connection = integration && (await connections.find(integration, connectionId));
      if (!integration || !connection)
        throw new HomeportError('unknown_connection', 'There is no such connection.', { silent: true });
      // Failures are logged; the deletion goes on (functions.md 7.5).
      await onEvents.run({ environment, integration, connection }, 'pre-connection-deletion');
      await providerSteps.beforeDeletion({ environment, integration, connection });
      const removed = await database.transaction(
        async (tx) => {
          const count = await removeRows(tx, integration, [connection]);
          if (count > 0) await authEvents.deleted(tx, { environment, integration, connection });
          return count;
        },
        { durable: true },
      );
      runs.endOnConnections([connection.id]);
      return removed > 0;
    },
  };
}

function checkMode(entry: ProviderEntry, body: CreateConnectionBody): void {
  const { type } = body.credentials;
  checkCredentialsType(entry, type);
  if (type === 'TBA' && typeof body.connection_config?.['accountId'] !== 'string') {
    throw new HomeportError('invalid_body', 'TBA credentials need connection_config.accountId.');
  }
}

/** Keeps the end user when none is sent; everything else is replaced (http-api.md 4). */
function toContent(
  body: CreateConnectionBody,
  stored: StoredContent | undefined,
  { askedAt, credentials }: IssuedCredentials,
  connectionConfig: Record<string, unknown>,
): ConnectionContent {
  const before = stored?.endUser ?? null;
  const endUser = body.end_user ? toEndUserCopy(body.end_user, before) : before;
  return {
    credentials,
    obtainedAt: askedAt,
    connectionConfig,
    metadata: body.metadata ?? {},
    endUser,
    tags: mergeTags(body.end_user ? endUser : null, body.tags),
    webhookUrlOverride: body.webhook_url_override || null,
  };
}
