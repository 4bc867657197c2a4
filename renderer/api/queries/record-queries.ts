import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ShownQuery } from '../contract.ts';
import { routeQuery, rowsIn } from '../route-query.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';

/** The views that a statement can name; read again whenever the page opens or gets the focus. */
export const recordViewsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/record-views', {}, { select: rowsIn, staleTime: 0 });

/** Runs a statement; the page that asked shows why it failed. */
export function useRecordQuery() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (body: { sql: string; params: Record<string, string | number | boolean | null> }) =>
      send('POST /api/v1/records/query', { body }),
  });
}

export const savedQueriesQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/saved-queries', {}, { select: rowsIn });

/** Keeps a statement under a name; one of that name is replaced. */
export function useSaveQuery() {
  const send = useSend();
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    meta: { done: 'Query saved' },
    mutationFn: async (body: Pick<ShownQuery, 'name' | 'sql' | 'params'>) => {
      const { data } = await client.fetchQuery(savedQueriesQueryOptions(env));
      const same = data.find(({ name }) => name.toLowerCase() === body.name.toLowerCase());
      return same
        ? send('PATCH /api/v1/saved-queries/:queryId', { params: { queryId: same.id }, body })
        : send('POST /api/v1/saved-queries', { body });
    },
  });
}

/** The folder of Parquet files of the environment. */
export const snapshotsQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/snapshots', {});
