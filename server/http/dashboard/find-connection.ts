import { HomeportError } from '../../lib/homeport-error.ts';
import type { Connection } from '../../services/connections/connection.ts';
import type { Environment } from '../../services/environment/environment-service.ts';
import type { Integration } from '../../services/integrations/integration.ts';
import type { DashboardParts } from './dashboard-parts.ts';

/** The connection that a path names, or `not_found`. */
export async function findConnection(
  use: Pick<DashboardParts, 'integrations' | 'connections'>,
  environment: Environment,
  { integrationKey, connectionId }: { integrationKey: string; connectionId: string },
): Promise<{ integration: Integration; connection: Connection }> {
  const integration = await use.integrations.find(environment.id, integrationKey);
  const connection = integration && (await use.connections.find(integration, connectionId));
  if (!integration || !connection)
    throw new HomeportError(
      'not_found',
      `There is no connection "${connectionId}" of the integration "${integrationKey}".`,
    );
  return { integration, connection };
}
