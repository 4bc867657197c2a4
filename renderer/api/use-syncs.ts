import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';

export function useSyncs({ integrationKey, connectionId }: ConnectionRef) {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.connection(env, integrationKey, connectionId), 'syncs'],
    queryFn: ({ signal }) =>
      request('GET /api/v1/sync', { query: { env, integration: integrationKey, connection: connectionId } }, signal),
    select: (answer) => answer.data,
  });
}
