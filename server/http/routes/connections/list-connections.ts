import { listConnectionsQuery } from '../../../contract/api/connections.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import { presentConnectionListItem } from '../../present/connection.ts';
import { type Handler, ok } from '../../route.ts';
import { validateQuery } from '../../validate.ts';

/** Without a limit there is no paging (http-api.md 4). */
const WITHOUT_LIMIT = 10_000;

export function listConnections(use: { connections: ConnectionsService }): Handler {
  return async (request) => {
    const query = validateQuery(listConnectionsQuery, request.query);
    const limit = query.limit ?? WITHOUT_LIMIT;
    const tags =
      query.tags && Object.fromEntries(Object.entries(query.tags).map(([key, value]) => [key.toLowerCase(), value]));
    const found = await use.connections.list({
      environmentId: request.environment.id,
      ...(query.connectionId === undefined ? {} : { connectionId: query.connectionId }),
      ...(query.search === undefined ? {} : { search: query.search }),
      ...(query.endUserId === undefined ? {} : { endUserId: query.endUserId }),
      ...(query.endUserOrganizationId === undefined ? {} : { organizationId: query.endUserOrganizationId }),
      ...(query.integrationId === undefined ? {} : { integrationKeys: query.integrationId }),
      ...(tags === undefined ? {} : { tags }),
      limit,
      // SQLite takes no offset beyond 64 bits; this many rows there never are.
      offset: Math.min((query.page ?? 0) * limit, Number.MAX_SAFE_INTEGER),
    });
    return ok({ connections: found.map(presentConnectionListItem) });
  };
}
