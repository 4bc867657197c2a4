import type { Environment } from '../environments/environment.service.ts';
import { connectionHeaders } from '../functions/actions.contract.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { ApiRequest } from '../platform/http/route.ts';
import { validateHeaders } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { andThen, type MaybePromise } from '../platform/lib/maybe-promise.ts';
import type { StoredConnection } from './connection.ts';
import type { ConnectionsService } from './connections.service.ts';

/** Each part of the API has its own error codes for a connection or an integration that does not exist. */

export interface ConnectionFinders {
  integrations: IntegrationsService;
  connections: ConnectionsService;
}

/**
 * Resolves to the connection that the headers `Provider-Config-Key` and `Connection-Id` name. Throws
 * `unknown_connection`.
 */
export async function findNamedConnection(use: ConnectionFinders, request: ApiRequest): Promise<StoredConnection> {
  const headers = validateHeaders(connectionHeaders, request.http.headers);
  const integration = await use.integrations.find(request.environment.id, headers['provider-config-key']);
  const connection = integration && (await use.connections.find(integration, headers['connection-id']));
  if (!connection) {
    throw new HomeportError(
      'unknown_connection',
      `There is no connection "${headers['connection-id']}" of this integration.`,
    );
  }
  return connection;
}

/**
 * The connection in path and query of the connections API, at once when it is in memory. Throws
 * `unknown_provider_config` or `not_found`.
 */
export function findAddressedConnection(
  use: ConnectionFinders,
  environmentId: number,
  { uniqueKey, connectionId }: { uniqueKey: string; connectionId: string },
): MaybePromise<StoredConnection> {
  return andThen(use.integrations.find(environmentId, uniqueKey), (integration) => {
    if (!integration) throw new HomeportError('unknown_provider_config', `There is no integration "${uniqueKey}".`);
    return andThen(use.connections.find(integration, connectionId), (connection) => {
      if (connection) return connection;
      throw new HomeportError('not_found', `There is no connection "${connectionId}" of this integration.`);
    });
  });
}

/**
 * Resolves to the integration that a path names; its provider may be missing from the catalogue. Throws `not_found`.
 */
export async function findIntegration(
  use: { integrations: IntegrationsService },
  environmentId: number,
  uniqueKey: string,
): Promise<Integration> {
  const integration = await use.integrations.find(environmentId, uniqueKey);
  if (!integration) throw new HomeportError('not_found', `There is no integration "${uniqueKey}".`);
  return integration;
}

/** Resolves to the connection that a path of the dashboard names. Throws `not_found`. */
export async function findConnection(
  use: ConnectionFinders,
  environment: Environment,
  { integrationKey, connectionId }: { integrationKey: string; connectionId: string },
): Promise<{ integration: Integration; connection: StoredConnection }> {
  const integration = await use.integrations.find(environment.id, integrationKey);
  const connection = integration && (await use.connections.find(integration, connectionId));
  if (!integration || !connection)
    throw new HomeportError(
      'not_found',
      `There is no connection "${connectionId}" of the integration "${integrationKey}".`,
    );
  return { integration, connection };
}

/** Resolves to the integration in a body of the functions API. Throws `integration_not_found` (http-api.md 14). */
export async function needIntegration(
  use: { integrations: IntegrationsService },
  environmentId: number,
  uniqueKey: string,
): Promise<Integration> {
  const integration = await use.integrations.find(environmentId, uniqueKey);
  if (!integration) throw new HomeportError('integration_not_found', `There is no integration "${uniqueKey}".`);
  return integration;
}

/** Resolves to the connection in a body of the functions API. Throws `connection_not_found` (http-api.md 14). */
export async function needConnection(
  use: { connections: ConnectionsService },
  integration: Integration,
  connectionId: string,
): Promise<StoredConnection> {
  const connection = await use.connections.find(integration, connectionId);
  if (!connection) {
    throw new HomeportError(
      'connection_not_found',
      `The integration "${integration.uniqueKey}" has no connection "${connectionId}".`,
    );
  }
  return connection;
}
