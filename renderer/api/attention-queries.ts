import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ConnectionListFilter } from './connections/connections-queries.ts';
import { keys } from './query-keys.ts';
import { request } from './request.ts';

/** The number of connections, in total and per status. */
export const connectionCountQueryOptions = (env: string, filter: Omit<ConnectionListFilter, 'status' | 'sort'>) =>
  queryOptions({
    queryKey: keys.connectionCount(env, filter),
    queryFn: ({ signal }) => request('GET /api/v1/connections/count', { query: { env, ...filter } }, signal),
    placeholderData: keepPreviousData,
  });

/** The number of functions that do not compile. */
export const brokenFunctionsQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.brokenFunctions(env),
    queryFn: ({ signal }) =>
      request('GET /api/v1/functions', { query: { env, status: 'compile_error', limit: 1 } }, signal),
    select: (response) => response.total,
  });

/** Polled: no event reports that so many files are missing that no function was disabled. */
const POLL_EVERY_MS = 10_000;

/** Functions whose files are missing. */
export const missingFunctionsQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.missingFunctions(env),
    queryFn: ({ signal }) => request('GET /api/v1/functions/missing', { query: { env } }, signal),
    refetchInterval: POLL_EVERY_MS,
  });

/** The first functions that do not compile, latest change first. */
export const failingFunctionsQueryOptions = (env: string, limit: number) =>
  queryOptions({
    queryKey: keys.failingFunctions(env, limit),
    queryFn: ({ signal }) =>
      request('GET /api/v1/functions', { query: { env, status: 'compile_error', sort: '-updated', limit } }, signal),
  });
