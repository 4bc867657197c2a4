import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SyncCommand } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';

interface SyncOrder {
  sync: string;
  variant: string;
  command: SyncCommand;
  deleteRecords?: boolean;
}

export function useSyncCommand(connection: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (order: SyncOrder) =>
      request('POST /api/v1/sync/command', { query: { env }, body: { ...connection, ...order } }),
    onSettled: () =>
      client.invalidateQueries({
        queryKey: [...keys.connection(env, connection.integrationKey, connection.connectionId), 'syncs'],
      }),
  });
}
