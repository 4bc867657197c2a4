import { type ListQuery, routePages, routeQuery, rowsIn } from '../route-query.ts';
import { useEnv } from '../use-env.ts';
import { usePagedRows } from '../use-paged-rows.ts';

/** API keys with their usage, oldest first; events keep them current. */
export const apiKeysQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/keys', {}, { select: rowsIn });

/** Open requests of apps for a key, oldest first. */
export const pairingsQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/pairings', {}, { select: rowsIn });

/** Entries of the audit. */
export const useAudit = (query: ListQuery<'GET /api/v1/audit'>) =>
  usePagedRows(...routePages(useEnv(), 'GET /api/v1/audit', { query }));
