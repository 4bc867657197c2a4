import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { type RequestInput, request } from './request.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';

const ROUTE = 'PATCH /api/v1/connections/:integrationKey/:connectionId';

export function useUpdateConnection(params: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestInput<typeof ROUTE>['body']) => request(ROUTE, { params, query: { env }, body }),
    onSuccess: (saved) => {
      client.setQueryData(keys.connection(env, params.integrationKey, params.connectionId), saved);
      return client.invalidateQueries({ queryKey: keys.connections(env) });
    },
  });
}
