import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type TakeBack, together } from '../../lib/take-back.ts';
import type { ConnectionCommand, SyncCommand } from '../contract.ts';
import { HOLD, useHeldTakeBack } from '../held-deletion.ts';
import { oneByOne } from '../one-by-one.ts';
import { EVENTS, refreshedKey } from '../refreshes.ts';
import type { RequestInput } from '../request.ts';
import { forget, type Notice, OWN_ERROR, useSend, useSendMany } from '../use-change.ts';
import { useEnv } from '../use-env.ts';
import type { ConnectionRef } from './connections-queries.ts';
import { useSyncTakeBack } from './sync-take-back.ts';
import { useSyncOrder } from './use-sync-actions.ts';

const CONNECTION = '/api/v1/connections/:integrationKey/:connectionId';

/** Refetches what an authorization of this connection may have changed, without waiting for its event. */
export function useConnectionChanged(): (ref: ConnectionRef) => void {
  const env = useEnv();
  const client = useQueryClient();
  return (ref) => {
    const { soon = [] } = EVENTS.connection({ ...ref, change: 'updated' });
    for (const topic of soon) void client.invalidateQueries({ queryKey: refreshedKey(env, topic) });
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

export function useRefreshConnection(params: ConnectionRef, notice: Notice = {}) {
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
export function useConnectionBulk(notice: Notice = {}) {
  const send = useSend();
  const env = useEnv();
  const client = useQueryClient();
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
      const forgetAll = (): void => {
        for (const ref of named) forget(client, env, CONNECTION, ref);
      };
      const { problems, changed, held } = await send(
        'POST /api/v1/connections/bulk',
        { body },
        order.command === 'delete' ? forgetAll : undefined,
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

interface SyncTarget extends ConnectionRef {
  sync: string;
  variant: string;
}

/** Sends one command to several syncs, one after the other; resolves as `useConnectionBulk`. */
export function useSyncBulk() {
  const { send, finish } = useSendMany('POST /api/v1/sync/command');
  const { bodyOf, wayBack } = useSyncOrder();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async ({ command, targets }: { command: SyncCommand; targets: SyncTarget[] }) => {
      const ways: Array<TakeBack | undefined> = [];
      const problems = await oneByOne(targets, async (target) => {
        const { changed } = await send({ body: bodyOf({ ...target, command }) });
        ways.push(wayBack({ command }, changed));
      });
      return { problems, takeBack: together(ways) };
    },
    onSettled: finish,
  });
}

/** Gives several syncs a frequency of their own, null for that of the function; resolves to the failure of each. */
export function useFrequencyBulk() {
  const { send, finish } = useSendMany(
    'PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant',
  );
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async ({ frequency, targets }: { frequency: string | null; targets: SyncTarget[] }) => ({
      problems: await oneByOne(targets, (params) => send({ params, body: { frequency } })),
    }),
    onSettled: finish,
  });
}

interface SyncAddress {
  sync: string;
  variant: string;
}

type SyncChanges =
  RequestInput<'PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant'>['body'];

/** Changes how often a sync of the connection runs, or its checkpoint. */
export function useUpdateSync(connection: ConnectionRef, notice: Notice = {}) {
  const send = useSend();
  return useMutation({
    meta: notice,
    mutationFn: ({ sync, variant, ...body }: SyncAddress & SyncChanges) =>
      send('PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant', {
        params: { ...connection, sync, variant },
        body,
      }),
  });
}

/** Creates another variant of a sync. */
export function useCreateVariant(connection: ConnectionRef) {
  const send = useSend();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: (params: SyncAddress) =>
      send('POST /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant', {
        params: { ...connection, ...params },
      }),
  });
}

/** Deletes a variant and its records; resolves to the way back. */
export function useDeleteVariant(connection: ConnectionRef) {
  const send = useSend();
  const takeBackOf = useHeldTakeBack();
  return useMutation({
    meta: OWN_ERROR,
    mutationFn: async (address: SyncAddress) => {
      const route = 'DELETE /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant';
      const { held } = await send(route, { params: { ...connection, ...address }, query: HOLD });
      return takeBackOf(held);
    },
  });
}
