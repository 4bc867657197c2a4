import { useMutation } from '@tanstack/react-query';
import { OWN_ERROR } from '../use-change.ts';
import { type SyncTargetOrder, useSendSyncCommand } from './connections-mutations.ts';

/** Sends a command to a sync that no screen has to show; resolves as `useSyncCommand`. */
export function useOrderAnySync() {
  const send = useSendSyncCommand();
  return useMutation({ meta: OWN_ERROR, mutationFn: (order: SyncTargetOrder) => send(order) });
}
