import { useMutation } from '@tanstack/react-query';
import { useSyncTakeBack } from '../connections/sync-take-back.ts';
import type { CauseCommand, OperationListItem, SyncCommand } from '../contract.ts';
import { request } from '../request.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';

export interface OrderedSync {
  integrationKey: string;
  connectionId: string;
  sync: string;
  variant: string;
}

/** Runs or cancels a sync of any connection. */
export function useOrderSync() {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: ({ command, ...ref }: OrderedSync & { command: SyncCommand }) =>
      send('POST /api/v1/sync/command', { body: { ...ref, command } }),
  });
}

/** Acts on all failures with one cause. */
export function useActOnCause() {
  const send = useSend();
  const takeBackOf = useSyncTakeBack();
  return useMutation({
    mutationFn: async (order: CauseCommand) => {
      const body = {
        ...order,
        ...(order.command === 'pause' ? { wantsChanged: true } : {}),
      };
      const { changed, ...counts } = await send('POST /api/v1/overview/causes', { body });
      return { ...counts, takeBack: takeBackOf('pause', changed) };
    },
  });
}

/** Cancels the sync run of an operation. The list of operations does not name the variant, so it is fetched first. */
export function useCancelRun() {
  const env = useEnv();
  const order = useOrderSync();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async ({ id, integrationName, connectionName, syncConfigName }: OperationListItem) => {
      if (!integrationName || !connectionName || !syncConfigName) throw new Error('Only sync runs can be cancelled.');
      const params = { operationId: id };
      const { meta } = await request('GET /api/v1/logs/operations/:operationId', { params, query: { env } });
      const variant = typeof meta?.['variant'] === 'string' ? meta['variant'] : 'base';
      const ref = { integrationKey: integrationName, connectionId: connectionName, sync: syncConfigName, variant };
      await order.mutateAsync({ ...ref, command: 'CANCEL' });
    },
  });
}
