import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';
import { type ListQuery, type RouteInput, routeKey, routePages, routeQuery, rowsIn } from '../route-query.ts';
import { useEnv } from '../use-env.ts';
import { usePagedRows } from '../use-paged-rows.ts';

const OPERATIONS = 'GET /api/v1/logs/operations';

/** Lists are comma-separated, as in the address. */
export type OperationQuery = ListQuery<typeof OPERATIONS>;

export const useOperations = (query: OperationQuery) => usePagedRows(...routePages(useEnv(), OPERATIONS, { query }));

/** A short list of operations, refetched whenever an operation changes. */
export const runsQuery = (env: string, query: NonNullable<RouteInput<typeof OPERATIONS>['query']>) =>
  routeQuery(env, OPERATIONS, { query }, { as: 'runs' });

const HISTOGRAM_EVERY_MS = 5000;

/**
 * The same operations counted by time and state, in days of the zone. `edges` computes the period when it is fetched; a
 * live period is refetched every five seconds.
 */
export const logHistogramQueryOptions = (
  env: string,
  { sort: _sort, period: _period, ...filter }: OperationQuery,
  period: { key: string; edges: () => { from: number; to: number }; isLive: boolean; timeZone: string },
) => {
  const { timeZone } = period;
  return queryOptions({
    queryKey: routeKey(env, 'GET /api/v1/logs/histogram', { query: { ...filter, period: period.key, timeZone } }),
    queryFn: async ({ signal }) => {
      const edges = period.edges();
      const query = { env, ...filter, ...edges, timeZone };
      return { ...(await request('GET /api/v1/logs/histogram', { query }, signal)), ...edges };
    },
    placeholderData: keepPreviousData,
    refetchInterval: period.isLive ? HISTOGRAM_EVERY_MS : false,
  });
};

export const operationQueryOptions = (env: string, operationId: string) =>
  routeQuery(env, 'GET /api/v1/logs/operations/:operationId', { params: { operationId } });

/** The operation with this id, if there is one, as a list; for texts that may be an id. */
export const operationByIdQueryOptions = (env: string, id: string) =>
  routeQuery(env, OPERATIONS, { query: { id, limit: 1 } }, { select: ({ data }) => data[0] });

/** The newest matches, for the palette; without a text the newest operations. */
export const operationSearchQueryOptions = (env: string, search: string) =>
  routeQuery(
    env,
    OPERATIONS,
    { query: { limit: 6, ...(search === '' ? {} : { search }) } },
    { select: rowsIn, placeholderData: keepPreviousData },
  );

/** The newest 100 operations of a connection; `types` is comma-separated. */
export const connectionOperationsQueryOptions = (
  env: string,
  { integrationKey, connectionId }: { integrationKey: string; connectionId: string },
  types?: string,
) => runsQuery(env, { integrations: integrationKey, connections: connectionId, limit: 100, types });

/** The newest operations that are running. */
export const runningOperationsQueryOptions = (env: string, limit: number) =>
  runsQuery(env, { states: 'running', limit });

/** The first 200 messages that the hub itself wrote: requests, saves and the like. */
export const operationStepsQueryOptions = (env: string, operationId: string) =>
  routeQuery(env, 'GET /api/v1/logs/messages', { query: { operationId, sources: 'internal', count: 'exact' } });

export type MessageQuery = Omit<ListQuery<'GET /api/v1/logs/messages'>, 'operationId'>;

export const useMessages = (operationId: string, filter: MessageQuery) =>
  usePagedRows(...routePages(useEnv(), 'GET /api/v1/logs/messages', { query: { operationId, ...filter } }));
