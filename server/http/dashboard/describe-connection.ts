import type { ConnectionDetail } from '../../contract/dashboard/dashboard-connections.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Environment } from '../../services/environment/environment-service.ts';
import type { Integration } from '../../services/integrations/integration.ts';
import { viewConnectionDetail } from './connection-view.ts';
import type { DashboardParts } from './dashboard-parts.ts';

export type DescribeConnectionUse = Pick<DashboardParts, 'catalog' | 'connections' | 'logs'>;

/** One connection as it is now, for the answer of a read or a change. */
export async function describeConnection(
  use: DescribeConnectionUse,
  environment: Environment,
  integration: Pick<Integration, 'id'>,
  connectionId: string,
): Promise<ConnectionDetail> {
  const connection = await use.connections.findOverview(integration, connectionId);
  if (!connection) throw new HomeportError('not_found', `There is no connection "${connectionId}".`);
  const failure = connection.errors.find((error) => error.type === 'auth');
  const operation = failure && (await use.logs.findOperation(environment.id, failure.logId));
  return viewConnectionDetail({
    connection,
    entry: use.catalog.find(connection.provider),
    credentials: await use.connections.credentials.read(connection),
    refreshFailure: operation?.error?.message ?? null,
  });
}
