import { useQuery } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export interface ConnectionRef {
  integrationKey: string;
  connectionId: string;
}

export function useConnection(params: ConnectionRef) {
  const env = useEnv();
  return useQuery({
    queryKey: keys.connection(env, params.integrationKey, params.connectionId),
    queryFn: ({ signal }) =>
      request('GET /api/v1/connections/:integrationKey/:connectionId', { params, query: { env } }, signal),
  });
}
