import type { ConnectionDetail, ConnectionRow } from '../../contract/dashboard/dashboard-connections.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { ConnectionOverview } from '../../services/connections/connection-overview.ts';
import type { Environment } from '../../services/environment/environment-service.ts';
import type { Integration } from '../../services/integrations/integration.ts';
import { type ConnectionFacts, viewConnection, viewConnectionDetail } from './connection-view.ts';
import type { DashboardParts } from './dashboard-parts.ts';

export type DescribeConnectionUse = Pick<DashboardParts, 'catalog' | 'connections' | 'logs'>;

export async function viewConnectionPage(use: DescribeConnectionUse, connections: ConnectionOverview[]): Promise<ConnectionRow[]> {
  const facts = await Promise.all(connections.map((connection) => readFacts(use, connection)));
  return facts.flatMap((one) => (one ? [viewConnection(one)] : []));
}

/** One connection as it is now, for the answer of a read or a change. */
export async function describeConnection(
  use: DescribeConnectionUse,
  environment: Environment,
  integration: Pick<Integration, 'id'>,
  connectionId: string,
): Promise<ConnectionDetail> {
  const connection = await use.connections.findOverview(integration, connectionId);
  const facts = connection && (await readFacts(use, connection));
  if (!facts) throw new HomeportError('not_found', `There is no connection "${connectionId}".`);
  const failure = facts.connection.errors.find((error) => error.type === 'auth');
  const operation = failure && (await use.logs.findOperation(environment.id, failure.logId));
  return viewConnectionDetail(facts, operation?.error?.message ?? null);
}

/** Undefined when the connection was deleted meanwhile. Lists need the credentials too: only they tell what can be renewed. */
async function readFacts(use: DescribeConnectionUse, connection: ConnectionOverview): Promise<ConnectionFacts | undefined> {
  try {
    const credentials = await use.connections.readCredentials(connection);
    return { connection, credentials, entry: use.catalog.find(connection.provider) };
  } catch (error) {
    if (error instanceof HomeportError && error.code === 'not_found') return undefined;
    throw error;
  }
}
