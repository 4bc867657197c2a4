import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { ProxyTarget, ProxyTargetRef } from './proxy-types.ts';

/**
 * Returns a function that reads what a request needs: usable credentials and the configuration of a connection, and the
 * app of its integration. It returns the same object until the connection or the integration changes, and throws the
 * errors of http-api.md 7.
 */
export function createTargetResolver(services: {
  integrations: IntegrationsService;
  connections: ConnectionsService;
}): (ref: ProxyTargetRef) => Promise<ProxyTarget> | ProxyTarget {
  const targets = new WeakMap<StoredConnection, { integration: Integration; target: ProxyTarget }>();
  const peek = (ref: ProxyTargetRef): ProxyTarget | undefined => {
    const integration = services.integrations.peek(ref.environmentId, ref.integrationKey);
    const fetched =
      integration &&
      services.connections.credentials.peek({
        integrationId: integration.id,
        connectionId: ref.connectionId,
        isUpkeep: ref.isUpkeep ?? false,
      });
    const known = fetched && targets.get(fetched.connection);
    return known?.integration === integration ? known?.target : undefined;
  };
  const read = async (ref: ProxyTargetRef): Promise<ProxyTarget> => {
    const integration = await services.integrations.find(ref.environmentId, ref.integrationKey);
    if (!integration) {
      throw new HomeportError('unknown_provider_config', `There is no integration "${ref.integrationKey}".`, {
        status: 404,
      });
    }
    const connection = await services.connections.find(integration, ref.connectionId);
    // The proxy has its own error for an unknown connection (http-api.md 7).
    if (!connection)
      throw new HomeportError('server_error', `There is no connection "${ref.connectionId}" of this integration.`, {
        status: 400,
      });
    const fetched = await fetchForProxy(services.connections, connection, ref);
    const known = targets.get(fetched.connection);
    if (known?.integration === integration) return known.target;
    const [app, custom] = await Promise.all([
      services.integrations.readAppCredentials(ref.environmentId, ref.integrationKey),
      services.integrations.readCustom(ref.environmentId, ref.integrationKey),
    ]);
    const target: ProxyTarget = {
      environmentId: ref.environmentId,
      providerName: integration.provider,
      integration: {
        uniqueKey: integration.uniqueKey,
        ...(app.clientId === undefined ? {} : { clientId: app.clientId }),
        ...(app.clientSecret === undefined ? {} : { clientSecret: app.clientSecret }),
        custom,
      },
      connection: {
        id: fetched.connection.id,
        connectionId: fetched.connection.connectionId,
        credentials: fetched.credentials,
        connectionConfig: fetched.config,
        metadata: fetched.connection.metadata ?? {},
      },
    };
    targets.set(fetched.connection, { integration, target });
    return target;
  };
  return (ref) => peek(ref) ?? read(ref);
}

/** The proxy has its own errors for unusable credentials (http-api.md 7). */
async function fetchForProxy(
  connections: ConnectionsService,
  connection: StoredConnection,
  { isUpkeep = false }: ProxyTargetRef,
) {
  const known = connections.credentials.peek({
    integrationId: connection.integrationId,
    connectionId: connection.connectionId,
    isUpkeep,
  });
  if (known) return known;
  const outcome = await connections.credentials.tryFetch(connection, { isUpkeep });
  if (outcome.ok) return outcome;
  const { code, message, status } = outcome.failure;
  if (code === 'connection_refresh_backoff') throw outcome.failure;
  throw new HomeportError('server_error', message, { status, cause: outcome.failure });
}
