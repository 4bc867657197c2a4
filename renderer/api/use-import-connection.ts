import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ImportConnectionBody } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { useEnv } from './use-env.ts';

export function useImportConnection() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ImportConnectionBody) => request('POST /api/v1/connections', { query: { env }, body }),
    onSuccess: async (connection) => {
      client.setQueryData(keys.connection(env, connection.integrationKey, connection.connectionId), connection);
      await client.invalidateQueries({ queryKey: keys.connections(env) });
      await client.invalidateQueries({ queryKey: keys.integrations(env) });
    },
  });
}
