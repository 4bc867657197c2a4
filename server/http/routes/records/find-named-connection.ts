import { connectionHeaders } from '../../../contract/api/actions.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Connection } from '../../../services/connections/connection.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import type { ApiRequest } from '../../route.ts';
import { validateHeaders } from '../../validate.ts';

export interface ConnectionFinders {
  integrations: IntegrationsService;
  connections: ConnectionsService;
}

/** The connection that the headers `Provider-Config-Key` and `Connection-Id` name. */
export async function findNamedConnection(use: ConnectionFinders, request: ApiRequest): Promise<Connection> {
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
