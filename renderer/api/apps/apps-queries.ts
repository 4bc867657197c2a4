import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import { usePagedRows } from '../use-paged-rows.ts';

/** API keys with their usage, oldest first; events keep them current. */
export const apiKeysQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.apiKeys(env),
    queryFn: ({ signal }) => request('GET /api/v1/keys', { query: { env } }, signal),
    select: (response) => response.data,
  });

/** Open requests of apps for a key, oldest first. */
export const pairingsQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.pairings(env),
    queryFn: ({ signal }) => request('GET /api/v1/pairings', { query: { env } }, signal),
    select: (response) => response.data,
  });

/** Lists are comma-separated, as in the address. */
interface AuditFilter {
  search?: string | undefined;
  actions?: string | undefined;
  apps?: string | undefined;
  results?: string | undefined;
  integrations?: string | undefined;
  grouped?: 'true' | undefined;
  during?: string | undefined;
  sort?: string | undefined;
}

/** Entries of the audit. */
export function useAudit(filter: AuditFilter) {
  const env = useEnv();
  return usePagedRows(keys.auditList(env, filter), (page, signal) =>
    request('GET /api/v1/audit', { query: { env, ...filter, ...page } }, signal),
  );
}
