import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { CredentialsService } from '../credentials/credentials-service.ts';
import type { Environment } from '../environment/environment-service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations-service.ts';
import type { OperationLog } from '../logs/operation.ts';
import type { FlowCompletion } from './flow-completion.ts';
import type { FlowPlace } from './flow-place.ts';
import { clientOfFlow } from './redirect-flow.ts';

export interface PendingInstallationsOptions {
  catalog: { find(name: string): ProviderEntry | undefined };
  integrations: IntegrationsService;
  connections: ConnectionsService;
  credentials: CredentialsService;
  completion: FlowCompletion;
  log: OperationLog;
}

/** An installation that the provider told of by a webhook. */
export interface ToldInstallation {
  environment: Environment;
  integration: Integration;
  /** Of the connections that it may complete. */
  connectionIds: readonly string[];
  /** Goes into their configuration. */
  config: Readonly<Record<string, unknown>>;
  /** Authorization code that their credentials are still to be had for. */
  code?: string;
}

/** Connections that wait until an owner has approved the installation of an app (auth-and-connect.md 3.7). */
export class PendingInstallations {
  readonly #options: PendingInstallationsOptions;

  constructor(options: PendingInstallationsOptions) {
    this.#options = options;
  }

  async complete({ environment, integration, connectionIds, config, code }: ToldInstallation): Promise<void> {
    const entry = this.#options.catalog.find(integration.provider);
    for (const connectionId of connectionIds) {
      const connection = await this.#options.connections.find(integration, connectionId);
      if (!entry || connection?.connectionConfig['pending'] !== true) continue;
      const place = await this.#placeOf(environment, integration, entry, connection);
      if (entry.auth_mode === 'CUSTOM') await this.#addInstallation(place, connection, config);
      else if (code !== undefined) await this.#exchange(place, config, code);
    }
  }

  /** Nothing but the wait was there; it ends with the provider's step after connecting, or without one now. */
  async #exchange(place: FlowPlace, config: Readonly<Record<string, unknown>>, code: string): Promise<void> {
    const { completion, credentials } = this.#options;
    const told = { ...place.connectionConfig, ...config };
    const exchange = { client: clientOfFlow(place, told), code, redirectUri: '' };
    const minted = await credentials.exchangeCode({ ...place, connectionConfig: told }, exchange);
    const { pending, pendingLog: _log, ...settled } = { ...told, ...minted.config };
    const isPending = place.entry.post_connection_script !== undefined;
    await completion.succeed(place, minted.credentials, isPending ? { ...settled, pending } : settled, { isPending });
  }

  /** The user's half was there from the sign-in; the installation's own is made now. */
  async #addInstallation(
    place: FlowPlace,
    waiting: Connection,
    config: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { completion, connections, credentials } = this.#options;
    const ids = { installation_id: String(config['installation_id'] ?? ''), app_id: place.app.appId ?? '' };
    const minted = await credentials.mint({ ...place, connectionConfig: { ...place.connectionConfig, ...ids } }, ids);
    const { pending: _pending, pendingLog: _log, ...kept } = await connections.credentials.readConfig(waiting);
    const user = { userCredentials: await connections.credentials.read(waiting) };
    await completion.succeed(place, minted.credentials, { ...user, ...kept, ...config, ...minted.config });
  }

  async #placeOf(
    environment: Environment,
    integration: Integration,
    entry: ProviderEntry,
    connection: Connection,
  ): Promise<FlowPlace> {
    const { integrations, log } = this.#options;
    const { connectionConfig, connectionId } = connection;
    return {
      environment,
      environmentId: environment.id,
      integration,
      entry,
      connectionId,
      connectionConfig,
      app: await integrations.readAppCredentials(environment.id, integration.uniqueKey),
      custom: await integrations.readCustom(environment.id, integration.uniqueKey),
      stored: connection,
      // The session in which it began may be over; what it set is on the connection.
      session: { lookupHash: '', isReconnecting: true },
      operation: log.attach(String(connectionConfig['pendingLog'] ?? '')),
    };
  }
}
