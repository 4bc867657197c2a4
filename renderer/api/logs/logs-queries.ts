import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import { usePagedRows } from '../use-paged-rows.ts';

/** Lists are comma lists, as in the address. */
export interface OperationQuery {
  search?: string | undefined;
  states?: string | undefined;
  types?: string | undefined;
  integrations?: string | undefined;
  connections?: string | undefined;
  syncs?: string | undefined;
  period?: string | undefined;
  sort?: string | undefined;
}

export function useOperations(filter: OperationQuery) {
  const env = useEnv();
  return usePagedRows(keys.operationList(env, filter), (page, signal) =>
    request('GET /api/v1/logs/operations', { query: { env, ...filter, ...page } as never }, signal),
  );
}

export const operationQueryOptions = (env: string, operationId: string) =>
  queryOptions({
    queryKey: keys.operation(env, operationId),
    queryFn: ({ signal }) =>
      request('GET /api/v1/logs/operations/:operationId', { params: { operationId }, query: { env } }, signal),
  });

/** The newest 100 operations of a connection; `types` is a comma list. They are fetched again when one changes. */
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

/** The newest of what runs now. */
export const runningOperationsQueryOptions = (env: string, limit: number) =>
  queryOptions({
    queryKey: keys.runningOperations(env, limit),
    queryFn: ({ signal }) =>
      request('GET /api/v1/logs/operations', { query: { env, states: 'running', limit } }, signal),
  });

export interface MessageQuery {
  search?: string | undefined;
  /** Comma lists. */
  levels?: string | undefined;
  types?: string | undefined;
  sources?: string | undefined;
}

export function useMessages(operationId: string, filter: MessageQuery) {
  const env = useEnv();
  return usePagedRows(keys.messageList(env, operationId, filter), (page, signal) =>
    request('GET /api/v1/logs/messages', { query: { env, operationId, ...filter, ...page } as never }, signal),
  );
}
