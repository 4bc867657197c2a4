import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { useEnv } from '../use-env.ts';
import { type SyncTargetOrder, useSendSyncCommand } from './connections-mutations.ts';

/** Sends a command to a sync that no screen has to show; resolves as `useSyncCommand`. */
export function useOrderAnySync() {
  const env = useEnv();
  const client = useQueryClient();
  const send = useSendSyncCommand();
  return useMutation({
    mutationFn: (order: SyncTargetOrder) => send(order),
    // Events report the syncs, but not to a page whose stream is interrupted.
    onSettled: (_, __, { integrationKey, connectionId }) =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.runs(env) }),
        client.invalidateQueries({ queryKey: keys.connections(env) }),
        connectionId !== undefined &&
          client.invalidateQueries({ queryKey: keys.syncs(env, { integrationKey, connectionId }) }),
      ]),
  });
}
