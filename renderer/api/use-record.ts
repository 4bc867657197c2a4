import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';

/** With `at`, as it was at that moment. */
export function useRecord(
  connection: ConnectionRef,
  query: { model: string; variant: string; at?: string | undefined },
  recordId: string,
) {
  const env = useEnv();
  return useQuery({
    queryKey: [
      ...keys.connection(env, connection.integrationKey, connection.connectionId),
      'records',
      query.model,
      'one',
      query.variant,
      recordId,
      query.at,
    ],
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId',
        { params: { ...connection, recordId }, query: { env, ...query } },
        signal,
      ),
  });
}
