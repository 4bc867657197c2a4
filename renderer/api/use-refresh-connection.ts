import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';

export function useRefreshConnection(params: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      request('POST /api/v1/connections/:integrationKey/:connectionId/refresh', { params, query: { env } }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.connection(env, params.integrationKey, params.connectionId) });
      return client.invalidateQueries({ queryKey: keys.connections(env) });
    },
  });
}
