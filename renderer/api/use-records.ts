import { useQueryClient } from '@tanstack/react-query';
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
  /** A past moment instead of now. */
  at?: string | undefined;
}

export function useRecords(params: ConnectionRef, filter: RecordFilter) {
  const env = useEnv();
  const client = useQueryClient();
  const connection = keys.connection(env, params.integrationKey, params.connectionId);
  const key = [...connection, 'records', filter.model, filter];
  const rows = usePagedRows(key, (page, signal) =>
    request(
      'GET /api/v1/connections/:integrationKey/:connectionId/records',
      { params, query: { env, ...filter, ...page } as never },
      signal,
    ),
  );
  // The first page is in the cache whenever the rows are.
  return { ...rows, lost: client.getQueryData<{ lost: number }>([...key, 'first'])?.lost ?? 0 };
}
