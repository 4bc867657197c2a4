import { useMutation } from '@tanstack/react-query';
import type { ConnectionCommand } from '../contract.ts';
import { HOLD, useHeldTakeBack } from '../held-deletion.ts';
import type { RequestInput } from '../request.ts';
import { type ChangeNotice, OWN_ERROR, useSend, useSettle } from '../use-change.ts';
import type { ConnectionRef } from './connections-queries.ts';
import { useSyncTakeBack } from './sync-take-back.ts';

const CONNECTION = '/api/v1/connections/:integrationKey/:connectionId';

/** Refetches what an authorization of this connection may have changed, without waiting for its event. */
export function useConnectionChanged(): (ref: ConnectionRef) => void {
  const settle = useSettle();
  return (params) => {
    // Whether it is a new connection or an old one: the same as after a check of its credentials.
    void settle({ route: 'POST /api/v1/connections/test', params });
    void settle({ route: 'POST /api/v1/connections' });
  };
}

export type ConnectionChanges = RequestInput<'PATCH /api/v1/connections/:integrationKey/:connectionId'>['body'];

export function useUpdateConnection(params: ConnectionRef) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (body: ConnectionChanges) =>
      send('PATCH /api/v1/connections/:integrationKey/:connectionId', { params, body }),
  });
}

export function useRefreshConnection(params: ConnectionRef, notice: ChangeNotice = {}) {
  const send = useSend();
  return useMutation({
    meta: notice,
    mutationFn: () => send('POST /api/v1/connections/:integrationKey/:connectionId/refresh', { params }),
  });
}

/** Asks the provider whether the credentials of one connection work. */
export function useTestConnection(ref: ConnectionRef) {
  const send = useSend();
  return useMutation({
    mutationFn: async () => {
      const { integrationKey, connectionId } = ref;
      const body = { targets: [{ integrationKey, connectionId }] };
      return (await send('POST /api/v1/connections/test', { body })).results[0];
    },
  });
}

interface ConnectionBulk {
  command: ConnectionCommand;
  targets: ConnectionRef[];
  tags?: Record<string, string>;
}

/** Does one thing to at most 100 connections; resolves to the failure of each, in their order, and to the way back. */
export function useConnectionBulk(notice: ChangeNotice = {}) {
  const send = useSend();
  const takeBackOf = useSyncTakeBack();
  const heldTakeBackOf = useHeldTakeBack();
  return useMutation({
    meta: notice,
    mutationFn: async ({ targets, ...order }: ConnectionBulk) => {
      const named = targets.map(({ integrationKey, connectionId }) => ({
        integrationKey,
        connectionId,
      }));
      const isPause = order.command === 'pause';
      const wish = isPause || order.command === 'resume' ? { wantsChanged: true } : {};
      const body = { ...order, targets: named, ...(order.command === 'delete' ? { hold: true } : wish) };
      const { problems, changed, held } = await send(
        'POST /api/v1/connections/bulk',
        { body },
        { gone: order.command === 'delete' ? { path: CONNECTION, refs: named } : undefined },
      );
      return { problems, takeBack: takeBackOf(isPause ? 'pause' : 'resume', changed) ?? heldTakeBackOf(held) };
    },
  });
}

/** Deletes a connection; resolves to the way back. */
export function useDeleteConnection() {
  const send = useSend();
  const takeBackOf = useHeldTakeBack();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async (params: ConnectionRef) =>
      takeBackOf((await send(`DELETE ${CONNECTION}`, { params, query: HOLD })).held),
  });
}
