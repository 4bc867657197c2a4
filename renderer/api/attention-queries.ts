import { keepPreviousData } from '@tanstack/react-query';
import { type ListQuery, routeQuery } from './route-query.ts';

/** The number of connections, in total and per status. */
export const connectionCountQueryOptions = (env: string, query: ListQuery<'GET /api/v1/connections/count'>) =>
  routeQuery(env, 'GET /api/v1/connections/count', { query }, { placeholderData: keepPreviousData });

/** The number of functions that do not compile. */
export const brokenFunctionsQueryOptions = (env: string) =>
  routeQuery(
    env,
    'GET /api/v1/functions',
    { query: { status: 'compile_error', limit: 1 } },
    { select: ({ total }) => total },
  );

/** Polled: no event reports that so many files are missing that no function was disabled. */
const POLL_EVERY_MS = 10_000;

/** Functions whose files are missing. */
export const missingFunctionsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/functions/missing', {}, { refetchInterval: POLL_EVERY_MS });

/** The first functions that do not compile, latest change first. */
export const failingFunctionsQueryOptions = (env: string, limit: number) =>
  routeQuery(env, 'GET /api/v1/functions', { query: { status: 'compile_error', sort: '-updated', limit } });
