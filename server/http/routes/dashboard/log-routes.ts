import type { MessageLevel } from '../../../contract/dashboard/dashboard-logs.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { MessagesQuery } from '../../../services/logs/log-queries.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { readSnapshot, readSort } from '../../dashboard/list-page.ts';
import { viewMessage, viewOperation, viewOperationDetail } from '../../dashboard/log-view.ts';

type Use = Pick<DashboardParts, 'environments' | 'logs'>;
type Keys = 'GET /api/v1/logs/operations' | 'GET /api/v1/logs/operations/:operationId' | 'GET /api/v1/logs/messages';

export function logRoutes(use: Use): DashboardHandlers<Keys> {
  const { logs } = use;
  return {
    'GET /api/v1/logs/operations': listOperations(use),
    'GET /api/v1/logs/operations/:operationId': async ({ environment, params }) => {
      const operation = await logs.findOperation(environment.id, params.operationId);
      if (!operation) throw gone();
      const level = await use.environments.functionLogLevel(environment.id);
      // Nothing a function writes is recorded at `off`; the hub's own errors are.
      const recordedLevel: MessageLevel = level === 'off' ? 'error' : level;
      return viewOperationDetail(operation, { retentionDays: environment.settings.logRetentionDays, recordedLevel });
    },

    'GET /api/v1/logs/messages': listMessages(use),
  };
}

function listOperations(use: Use): DashboardHandler<'GET /api/v1/logs/operations'> {
  return async ({ environment, query }) => {
    const { key, direction } = readSort(query.sort ?? '-time');
    const [from, to] = (query.period ?? ',').split(',').map((side) => (side === '' ? undefined : Number(side)));
    const found = await use.logs.listOperations({
      environmentId: environment.id,
      states: query.states,
      types: query.types,
      integrations: query.integrations,
      connections: query.connections,
      functions: query.syncs,
      from,
      to,
      search: query.search,
      sort: key === 'duration' ? 'duration' : 'time',
      direction,
      offset: query.offset,
      limit: query.limit,
      snapshot: readSnapshot(query.snapshot),
    });
    return { data: found.operations.map(viewOperation), total: found.total, snapshot: String(found.snapshot) };
  };
}

function listMessages(use: Use): DashboardHandler<'GET /api/v1/logs/messages'> {
  return async ({ environment, query }) => {
    const filter: MessagesQuery = {
      environmentId: environment.id,
      operationId: query.operationId,
      levels: query.levels,
      // Both of two values are the same as no filter.
      source: query.sources?.length === 1 ? query.sources[0] : undefined,
      type: query.types?.length === 1 ? query.types[0] : undefined,
      search: query.search,
      snapshot: readSnapshot(query.snapshot),
    };
    const isNewestFirst = readSort(query.sort ?? 'time').direction === 'desc';
    const found = await (isNewestFirst
      ? readBackwards(use.logs, filter, query)
      : use.logs.listMessages({ ...filter, offset: query.offset, limit: query.limit }));
    if (!found) throw gone();
    return { data: found.messages.map(viewMessage), total: found.total, snapshot: String(found.snapshot) };
  };
}

/** The log is read from its oldest message on; a page from the end is the mirrored range, turned around. */
async function readBackwards(
  logs: Use['logs'],
  filter: MessagesQuery,
  page: { offset: number; limit: number },
): ReturnType<Use['logs']['listMessages']> {
  const counted = await logs.listMessages({ ...filter, offset: 0, limit: 0 });
  if (!counted) return undefined;
  const end = Math.max(counted.total - page.offset, 0);
  const offset = Math.max(end - page.limit, 0);
  const found = await logs.listMessages({ ...filter, snapshot: counted.snapshot, offset, limit: end - offset });
  return found && { ...found, messages: found.messages.reverse() };
}

function gone(): HomeportError {
  return new HomeportError('not_found', 'There is no such operation. Old ones are removed after the retention time.');
}
