import { useMutation } from '@tanstack/react-query';
import { routeQuery, rowsIn } from '../route-query.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';

/** The views that a statement can name; read again whenever the page opens or gets the focus. */
export const recordViewsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/records/views', {}, { select: rowsIn, staleTime: 0 });

/** Runs a statement; the page that asked shows why it failed. */
export function useRecordQuery() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (sql: string) => send('POST /api/v1/records/query', { body: { sql } }),
  });
}
