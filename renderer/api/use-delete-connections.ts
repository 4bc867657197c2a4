import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { request } from './request.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';

/** Deletes one or several, one after the other; the first failure stops it. */
export function useDeleteConnections() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (targets: ConnectionRef[]) => {
      for (const params of targets) {
        await request('DELETE /api/v1/connections/:integrationKey/:connectionId', { params, query: { env } });
        client.removeQueries({ queryKey: keys.connection(env, params.integrationKey, params.connectionId) });
      }
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: keys.connections(env) });
      await client.invalidateQueries({ queryKey: keys.integrations(env) });
    },
  });
}
