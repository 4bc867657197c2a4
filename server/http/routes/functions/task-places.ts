import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Connection } from '../../../services/connections/connection.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import type { Integration } from '../../../services/integrations/integration.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';

/** What the functions API calls missing things (http-api.md 14). */

export async function needIntegration(
  use: { integrations: IntegrationsService },
  environmentId: number,
  uniqueKey: string,
): Promise<Integration> {
  const integration = await use.integrations.find(environmentId, uniqueKey);
  if (!integration) throw new HomeportError('integration_not_found', `There is no integration "${uniqueKey}".`);
  return integration;
}

export async function needConnection(
  use: { connections: ConnectionsService },
  integration: Integration,
  connectionId: string,
): Promise<Connection> {
  const connection = await use.connections.find(integration, connectionId);
  if (!connection) {
    throw new HomeportError(
      'connection_not_found',
      `The integration "${integration.uniqueKey}" has no connection "${connectionId}".`,
    );
  }
  return connection;
}
