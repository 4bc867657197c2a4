import { createConnectionBody, patchConnectionBody } from '../../../contract/api/connections.ts';
import type { ConnectionStatus } from '../../../contract/dashboard/dashboard-connections.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { OverviewOrder } from '../../../services/connections/connection-overview.ts';
import { viewConnection } from '../../dashboard/connection-view.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { type DescribeConnectionUse, describeConnection } from '../../dashboard/describe-connection.ts';
import { readSnapshot, readSort } from '../../dashboard/list-page.ts';
import { findConnection } from '../../resolve-connection.ts';
import { validateBody } from '../../validate.ts';

type Use = DescribeConnectionUse & Pick<DashboardParts, 'integrations' | 'lifecycle' | 'refreshCredentials'>;
type Keys =
  | 'GET /api/v1/connections'
  | 'GET /api/v1/connections/count'
  | 'POST /api/v1/connections'
  | 'GET /api/v1/connections/:integrationKey/:connectionId'
  | 'PATCH /api/v1/connections/:integrationKey/:connectionId'
  | 'DELETE /api/v1/connections/:integrationKey/:connectionId'
  | 'POST /api/v1/connections/:integrationKey/:connectionId/refresh';

const DEFAULT_SORT = '-used';

export function connectionRoutes(use: Use): DashboardHandlers<Keys> {
  const { connections, lifecycle } = use;
  return {
    'GET /api/v1/connections': listPage(use),
    'GET /api/v1/connections/count': countByStatus(use),
    'POST /api/v1/connections': async ({ environment, body }) => {
      const { connection } = await lifecycle.importConnection(environment, validateBody(createConnectionBody, body));
      return describeConnection(use, environment, { id: connection.integrationId }, connection.connectionId);
    },

    'GET /api/v1/connections/:integrationKey/:connectionId': async ({ environment, params }) => {
      const { integration } = await findConnection(use, environment, params);
      return describeConnection(use, environment, integration, params.connectionId);
    },

    'PATCH /api/v1/connections/:integrationKey/:connectionId': async ({ environment, params, body }) => {
      const { integration, connection } = await findConnection(use, environment, params);
      const { tags } = validateBody(patchConnectionBody, body.tags === undefined ? {} : { tags: body.tags });
      if (tags) await connections.patch(connection, { tags });
      if (body.metadata)
        await connections.changeMetadata(integration, [connection.connectionId], body.metadata, 'replace');
      return describeConnection(use, environment, integration, params.connectionId);
    },

    'DELETE /api/v1/connections/:integrationKey/:connectionId': async ({ environment, params }) => {
      await findConnection(use, environment, params);
      await lifecycle.deleteConnection(environment, params.integrationKey, params.connectionId);
      return { success: true };
    },

    'POST /api/v1/connections/:integrationKey/:connectionId/refresh': refreshNow(use),
  };
}

function listPage({ catalog, connections }: Use): DashboardHandler<'GET /api/v1/connections'> {
  return async ({ environment, query }) => {
    const { key, direction } = readSort(query.sort ?? DEFAULT_SORT);
    const page = await connections.listOverviews({
      environmentId: environment.id,
      search: query.search,
      integrationKeys: query.integrations,
      statuses: query.status && expandStatus(query.status),
      snapshot: readSnapshot(query.snapshot),
      by: key as OverviewOrder['by'],
      direction,
      offset: query.offset,
      limit: query.limit,
    });
    const data = page.connections.map((connection) => viewConnection(connection, catalog.find(connection.provider)));
    return { data, total: page.total, snapshot: String(page.snapshot) };
  };
}

function countByStatus({ connections }: Use): DashboardHandler<'GET /api/v1/connections/count'> {
  return async ({ environment, query }) => {
    const counts = await connections.countByStatus({
      environmentId: environment.id,
      search: query.search,
      integrationKeys: query.integrations,
    });
    const of = (status: ConnectionStatus): number => counts.get(status) ?? 0;
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return { total, ok: of('ok'), auth_error: of('auth_error'), sync_error: of('sync_error'), paused: of('paused') };
  };
}

function refreshNow(use: Use): DashboardHandler<'POST /api/v1/connections/:integrationKey/:connectionId/refresh'> {
  return async ({ environment, params }) => {
    const { integration, connection } = await findConnection(use, environment, params);
    if (!(await use.connections.findOverview(integration, connection.connectionId))?.isRefreshable) {
      throw new HomeportError(
        'invalid_credentials',
        'These credentials have nothing to refresh. Import the connection again to replace them.',
      );
    }
    await use.refreshCredentials(connection);
    return describeConnection(use, environment, integration, params.connectionId);
  };
}

function expandStatus(list: ReadonlyArray<ConnectionStatus | 'error'>): ConnectionStatus[] {
  return list.flatMap((status): ConnectionStatus[] => (status === 'error' ? ['auth_error', 'sync_error'] : [status]));
}
