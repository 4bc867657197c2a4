import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ConnectionRef } from '../connections/connections-queries.ts';
import type { UpdateHistoryBody } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';

export function useSwitchHistory(connection: ConnectionRef, sync: string) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateHistoryBody) =>
      request('PUT /api/v1/functions/:integrationKey/sync/:name/history', {
        params: { integrationKey: connection.integrationKey, name: sync },
        query: { env },
        body,
      }),
    onSuccess: (_, { model }) =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.history(env, connection, model) }),
        client.invalidateQueries({ queryKey: keys.records(env, connection, model) }),
      ]),
  });
}
