import { useMutation } from '@tanstack/react-query';
import { type TakeBack, together } from '../../lib/take-back.ts';
import type { SyncCommand } from '../contract.ts';
import { HOLD, useHeldTakeBack } from '../held-deletion.ts';
import { oneByOne } from '../one-by-one.ts';
import type { RequestInput } from '../request.ts';
import { type ChangeNotice, OWN_ERROR, useSend, useSendMany } from '../use-change.ts';
import type { ConnectionRef } from './connections-queries.ts';
import { useSyncOrder } from './sync-take-back.ts';

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
export function useUpdateSync(connection: ConnectionRef, notice: ChangeNotice = {}) {
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
