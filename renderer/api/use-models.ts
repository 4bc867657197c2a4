import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';

export function useModels(params: ConnectionRef) {
  const env = useEnv();
  return useQuery({
    queryKey: [...keys.connection(env, params.integrationKey, params.connectionId), 'models'],
    queryFn: ({ signal }) =>
      request('GET /api/v1/connections/:integrationKey/:connectionId/models', { params, query: { env } }, signal),
    select: (answer) => answer.data,
  });
}
