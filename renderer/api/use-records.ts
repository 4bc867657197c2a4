import { keys } from './keys.ts';
import { request } from './request.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';
import { usePagedRows } from './use-paged-rows.ts';

interface RecordFilter {
  model: string;
  variant: string;
  search?: string | undefined;
  /** Comma list. */
  actions?: string | undefined;
  sort?: string | undefined;
}

export function useRecords(params: ConnectionRef, filter: RecordFilter) {
  const env = useEnv();
  const connection = keys.connection(env, params.integrationKey, params.connectionId);
  return usePagedRows([...connection, 'records', filter.model, filter], (page, signal) =>
    request(
      'GET /api/v1/connections/:integrationKey/:connectionId/records',
      { params, query: { env, ...filter, ...page } as never },
      signal,
    ),
  );
}
