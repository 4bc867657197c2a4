import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import { usePagedRows } from '../use-paged-rows.ts';

/** Lists are comma-separated, as in the address. */
export interface OperationQuery {
  search?: string | undefined;
  states?: string | undefined;
  types?: string | undefined;
  integrations?: string | undefined;
  connections?: string | undefined;
  syncs?: string | undefined;
  period?: string | undefined;
  sort?: string | undefined;
  groupBy?: 'integration' | 'status' | undefined;
}

export function useOperations(filter: OperationQuery) {
  const env = useEnv();
  return usePagedRows(keys.operationList(env, filter), (page, signal) =>
    request('GET /api/v1/logs/operations', { query: { env, ...filter, ...page } }, signal),
  );
}

const HISTOGRAM_EVERY_MS = 5000;

/**
 * The same operations counted by time and state, in days of the zone. `edges` computes the period when it is fetched; a
 * live period is refetched every five seconds.
 */
export const logHistogramQueryOptions = (
  env: string,
  { sort: _sort, period: _period, ...filter }: OperationQuery,
  period: { key: string; edges: () => { from: number; to: number }; isLive: boolean; timeZone: string },
) =>
  queryOptions({
    queryKey: keys.logHistogram(env, { ...filter, period: period.key, timeZone: period.timeZone }),
    queryFn: async ({ signal }) => {
      const edges = period.edges();
      const query = { env, ...filter, ...edges, timeZone: period.timeZone };
      return { ...(await request('GET /api/v1/logs/histogram', { query }, signal)), ...edges };
    },
    placeholderData: keepPreviousData,
    refetchInterval: period.isLive ? HISTOGRAM_EVERY_MS : false,
  });

export const operationQueryOptions = (env: string, operationId: string) =>
  queryOptions({
    queryKey: keys.operation(env, operationId),
    queryFn: ({ signal }) =>
      request('GET /api/v1/logs/operations/:operationId', { params: { operationId }, query: { env } }, signal),
  });

/** The operation with this id, if there is one, as a list; for texts that may be an id. */
export const operationByIdQueryOptions = (env: string, id: string) =>
  queryOptions({
    queryKey: keys.operationList(env, { id }),
    queryFn: ({ signal }) => request('GET /api/v1/logs/operations', { query: { env, id, limit: 1 } }, signal),
    select: (response) => response.data[0],
  });

/** The newest matches, for the palette; without a text the newest operations. */
export const operationSearchQueryOptions = (env: string, search: string) =>
  queryOptions({
    queryKey: keys.operationList(env, { search, for: 'palette' }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/logs/operations',
        { query: { env, limit: 6, ...(search === '' ? {} : { search }) } },
        signal,
      ),
    select: (response) => response.data,
    placeholderData: keepPreviousData,
  });

/** The newest 100 operations of a connection; `types` is comma-separated. Refetched when an operation changes. */
export const connectionOperationsQueryOptions = (
  env: string,
  { integrationKey, connectionId }: { integrationKey: string; connectionId: string },
  types?: string,
) =>
  queryOptions({
    queryKey: keys.connectionOperations(env, { integrationKey, connectionId, types }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/logs/operations',
        {
          query: {
            env,
            integrations: integrationKey,
            connections: connectionId,
            limit: 100,
            ...(types === undefined ? {} : { types }),
          },
        },
        signal,
      ),
  });

/** The newest operations that are running. */
export const runningOperationsQueryOptions = (env: string, limit: number) =>
  queryOptions({
    queryKey: keys.runningOperations(env, limit),
    queryFn: ({ signal }) =>
      request('GET /api/v1/logs/operations', { query: { env, states: 'running', limit } }, signal),
  });

/** The first 200 messages that the hub itself wrote: requests, saves and the like. */
export const operationStepsQueryOptions = (env: string, operationId: string) =>
  queryOptions({
    queryKey: keys.messageList(env, operationId, { for: 'steps' }),
    queryFn: ({ signal }) =>
      request('GET /api/v1/logs/messages', { query: { env, operationId, sources: 'internal' } }, signal),
  });

export interface MessageQuery {
  search?: string | undefined;
  /** Comma-separated lists. */
  levels?: string | undefined;
  types?: string | undefined;
  sources?: string | undefined;
}

export function useMessages(operationId: string, filter: MessageQuery) {
  const env = useEnv();
  return usePagedRows(keys.messageList(env, operationId, filter), (page, signal) =>
    request('GET /api/v1/logs/messages', { query: { env, operationId, ...filter, ...page } }, signal),
  );
}
