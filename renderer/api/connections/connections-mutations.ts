import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type TakeBack, together } from '../../lib/take-back.ts';
import type { ConnectionCommand, ConnectSessionBody, ImportConnectionBody, SyncCommand } from '../contract.ts';
import { HOLD, useHeldTakeBack } from '../held-deletion.ts';
import { oneByOne } from '../one-by-one.ts';
import { keys } from '../query-keys.ts';
import { type RequestInput, request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import type { ConnectionRef } from './connections-queries.ts';
import { useSyncTakeBack } from './sync-take-back.ts';

/** Starts an authorization on the connect page. */
export function useConnectSession() {
  const env = useEnv();
  return useMutation({
    mutationFn: (body: ConnectSessionBody) => request('POST /api/v1/connect-sessions', { query: { env }, body }),
  });
}

/** Refetches what an authorization of this connection may have changed, without waiting for its event. */
export function useConnectionChanged(): (ref: ConnectionRef) => void {
  const env = useEnv();
  const client = useQueryClient();
  return (ref) => {
    void client.invalidateQueries({ queryKey: keys.connection(env, ref) });
    void client.invalidateQueries({ queryKey: keys.connections(env) });
    void client.invalidateQueries({ queryKey: keys.integrations(env) });
  };
}

export function useImportConnection() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ImportConnectionBody) => request('POST /api/v1/connections', { query: { env }, body }),
    onSuccess: async (connection) => {
      client.setQueryData(keys.connection(env, connection), connection);
      await client.invalidateQueries({ queryKey: keys.connections(env) });
      await client.invalidateQueries({ queryKey: keys.integrations(env) });
    },
  });
}

export type ConnectionChanges = RequestInput<'PATCH /api/v1/connections/:integrationKey/:connectionId'>['body'];

export function useUpdateConnection(params: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ConnectionChanges) =>
      request('PATCH /api/v1/connections/:integrationKey/:connectionId', { params, query: { env }, body }),
    onSuccess: (saved) => {
      client.setQueryData(keys.connection(env, params), saved);
      return client.invalidateQueries({ queryKey: keys.connections(env) });
    },
    // What is stored now may be why it was refused.
    onError: () => client.invalidateQueries({ queryKey: keys.connection(env, params) }),
  });
}

export function useRefreshConnection(params: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      request('POST /api/v1/connections/:integrationKey/:connectionId/refresh', { params, query: { env } }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.connection(env, params) });
      return client.invalidateQueries({ queryKey: keys.connections(env) });
    },
  });
}

/** Asks the provider whether the credentials of one connection work. */
export function useTestConnection(ref: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const { integrationKey, connectionId } = ref;
      const body = { targets: [{ integrationKey, connectionId }] };
      return (await request('POST /api/v1/connections/test', { query: { env }, body })).results[0];
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.connection(env, ref) });
      return client.invalidateQueries({ queryKey: keys.connections(env) });
    },
  });
}

interface ConnectionBulk {
  command: ConnectionCommand;
  targets: ConnectionRef[];
  tags?: Record<string, string>;
}

/** Does one thing to at most 100 connections; resolves to the failure of each, in their order, and to the way back. */
export function useConnectionBulk() {
  const env = useEnv();
  const client = useQueryClient();
  const takeBackOf = useSyncTakeBack();
  const heldTakeBackOf = useHeldTakeBack();
  return useMutation({
    mutationFn: async ({ targets, ...order }: ConnectionBulk) => {
      const named = targets.map(({ integrationKey, connectionId }) => ({
        integrationKey,
        connectionId,
      }));
      const isPause = order.command === 'pause';
      const wish = isPause || order.command === 'resume' ? { wantsChanged: true } : {};
      const body = { ...order, targets: named, ...(order.command === 'delete' ? { hold: true } : wish) };
      const { problems, changed, held } = await request('POST /api/v1/connections/bulk', { query: { env }, body });
      return { problems, takeBack: takeBackOf(isPause ? 'pause' : 'resume', changed) ?? heldTakeBackOf(held) };
    },
    onSettled: async (_, __, { command, targets }) => {
      for (const ref of targets) {
        if (command === 'delete') client.removeQueries({ queryKey: keys.connection(env, ref) });
        else void client.invalidateQueries({ queryKey: keys.connection(env, ref) });
      }
      await client.invalidateQueries({ queryKey: keys.connections(env) });
      if (command === 'delete') await client.invalidateQueries({ queryKey: keys.integrations(env) });
    },
  });
}

/** Deletes a connection; resolves to the way back. */
export function useDeleteConnection() {
  const env = useEnv();
  const client = useQueryClient();
  const takeBackOf = useHeldTakeBack();
  return useMutation({
    mutationFn: async (params: ConnectionRef) => {
      const route = 'DELETE /api/v1/connections/:integrationKey/:connectionId';
      const { held } = await request(route, { params, query: { env, ...HOLD } });
      client.removeQueries({ queryKey: keys.connection(env, params) });
      return takeBackOf(held);
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: keys.connections(env) });
      await client.invalidateQueries({ queryKey: keys.integrations(env) });
    },
  });
}

interface SyncOrder {
  sync: string;
  variant: string;
  command: SyncCommand;
  deleteRecords?: boolean;
}

/** Resolves to the operation of a run, and to the way back from a pause or a resume. */
export function useSyncCommand(connection: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  const send = useSendSyncCommand();
  return useMutation({
    mutationFn: (order: SyncOrder) => send({ ...connection, ...order }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.syncs(env, connection) }),
  });
}

/** Sends one command; resolves to the operation of a run, and to the way back from a pause or a resume. */
export function useSendSyncCommand() {
  const env = useEnv();
  const takeBackOf = useSyncTakeBack();
  return async (order: SyncTargetOrder) => {
    const { integrationKey, connectionId, ...what } = order;
    const isPause = what.command === 'PAUSE';
    const wantsChanged = isPause || what.command === 'UNPAUSE';
    const body = {
      integrationKey,
      ...(connectionId === undefined ? {} : { connectionId }),
      ...what,
      ...(wantsChanged ? { wantsChanged } : {}),
    };
    const { operationId, changed } = await request('POST /api/v1/sync/command', { query: { env }, body });
    return { operationId, takeBack: takeBackOf(isPause ? 'pause' : 'resume', changed) };
  };
}

export type SyncTargetOrder = Omit<SyncOrder, 'variant'> & {
  integrationKey: string;
  /** Absent: every connection that has the sync, in all variants. */
  connectionId?: string | undefined;
  variant?: string;
};

interface SyncTarget extends ConnectionRef {
  sync: string;
  variant: string;
}

/** Sends one command to several syncs, one after the other; resolves as `useConnectionBulk`. */
export function useSyncBulk() {
  const send = useSendSyncCommand();
  return useForEachSync(async ({ command, targets }: { command: SyncCommand; targets: SyncTarget[] }) => {
    const ways: Array<TakeBack | undefined> = [];
    const problems = await oneByOne(targets, async (target) => {
      ways.push((await send({ ...target, command })).takeBack);
    });
    return { problems, takeBack: together(ways) };
  });
}

/** Gives several syncs a frequency of their own, null for that of the function; resolves to the failure of each. */
export function useFrequencyBulk() {
  const env = useEnv();
  return useForEachSync(async ({ frequency, targets }: { frequency: string | null; targets: SyncTarget[] }) => ({
    problems: await oneByOne(targets, (params) =>
      request('PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant', {
        params,
        query: { env },
        body: { frequency },
      }),
    ),
  }));
}

/** A change of several syncs. What lists and runs show of them is read again, also after a failure. */
function useForEachSync<Change extends { targets: SyncTarget[] }, Result>(
  mutationFn: (change: Change) => Promise<Result>,
) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: (_, __, { targets }) =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.runs(env) }),
        ...targets.map((target) => client.invalidateQueries({ queryKey: keys.syncs(env, target) })),
      ]),
  });
}

interface SyncAddress {
  sync: string;
  variant: string;
}

type SyncChanges =
  RequestInput<'PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant'>['body'];

/** Changes how often a sync of the connection runs, or its checkpoint. */
export function useUpdateSync(connection: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ sync, variant, ...body }: SyncAddress & SyncChanges) =>
      request('PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant', {
        params: { ...connection, sync, variant },
        query: { env },
        body,
      }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.syncs(env, connection) }),
  });
}

/** Creates another variant of a sync. */
export function useCreateVariant(connection: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (params: SyncAddress) =>
      request('POST /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant', {
        params: { ...connection, ...params },
        query: { env },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.connection(env, connection) }),
  });
}

/** Deletes a variant and its records; resolves to the way back. */
export function useDeleteVariant(connection: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  const takeBackOf = useHeldTakeBack();
  return useMutation({
    mutationFn: async (address: SyncAddress) => {
      const route = 'DELETE /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant';
      const { held } = await request(route, { params: { ...connection, ...address }, query: { env, ...HOLD } });
      return takeBackOf(held);
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.connection(env, connection) }),
  });
}
