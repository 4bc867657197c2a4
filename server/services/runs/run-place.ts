import { HomeportError } from '../../lib/homeport-error.ts';
import { secretsOf } from '../../lib/secrets.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { StoredCredentials } from '../credentials/credentials-service.ts';
import type { EnvironmentService } from '../environment/environment-service.ts';
import type { IntegrationsService } from '../integrations/integrations-service.ts';
import type { RunRequest } from './run-request.ts';

/** Wire documents of the HTTP API, made by the doors' presenters and handed in. */
export interface RunDocuments {
  connection(parts: {
    connection: Connection;
    credentials: StoredCredentials;
    config: Record<string, unknown>;
    withRefreshToken: boolean;
  }): Record<string, unknown>;
  integration(environmentId: number, uniqueKey: string, include: string[]): Promise<Record<string, unknown>>;
}

export interface RunPlaceOptions {
  integrations: IntegrationsService;
  connections: ConnectionsService;
  environments: EnvironmentService;
  documents: RunDocuments;
}

interface ConnectionArgs {
  providerConfigKey?: string;
  connectionId?: string;
  refreshToken?: boolean;
  forceRefresh?: boolean;
  refreshGithubAppJwtToken?: boolean;
}

/** Where a run stands: its connection, integration and environment (functions.md 3.4). */
export class RunPlace {
  readonly #options: RunPlaceOptions;
  readonly #run: RunRequest;

  constructor(options: RunPlaceOptions, run: RunRequest) {
    this.#options = options;
    this.#run = run;
  }

  async readConnection(args: ConnectionArgs): Promise<Record<string, unknown>> {
    const { connections, documents } = this.#options;
    const { connection, credentials, config } = await connections.credentials.fetch(await this.#findConnection(args), {
      isForced: args.forceRefresh === true,
      wantsAppJwt: args.refreshGithubAppJwtToken === true,
    });
    this.#run.operation.redactSecrets(secretsOf(credentials));
    return documents.connection({ connection, credentials, config, withRefreshToken: args.refreshToken === true });
  }

  /** Resolves to the body that the HTTP API answers. */
  async changeMetadata(metadata: Record<string, unknown>, mode: 'replace' | 'merge'): Promise<Record<string, unknown>> {
    const { connection, integration } = this.#run;
    await this.#options.connections.changeMetadata(integration, [connection.connectionId], metadata, mode);
    return this.describeMetadata(metadata);
  }

  /** The body that the HTTP API answers to a change of metadata: the request's own. */
  describeMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
    const { connection, integration } = this.#run;
    return { connection_id: connection.connectionId, provider_config_key: integration.uniqueKey, metadata };
  }

  readIntegration(include: string[]): Promise<Record<string, unknown>> {
    return this.#options.documents.integration(this.#run.environment.id, this.#run.integration.uniqueKey, include);
  }

  listVariables(): Promise<Array<{ name: string; value: string }>> {
    return this.#options.environments.listVariables(this.#run.environment.id);
  }

  async #findConnection(args: ConnectionArgs): Promise<Connection> {
    const { integrations, connections } = this.#options;
    const key = args.providerConfigKey ?? this.#run.integration.uniqueKey;
    const connectionId = args.connectionId ?? this.#run.connection.connectionId;
    const integration = await integrations.find(this.#run.environment.id, key);
    const connection = integration && (await connections.find(integration, connectionId));
    if (!connection)
      throw new HomeportError('not_found', `There is no connection "${connectionId}" of the integration "${key}".`);
    return connection;
  }
}
