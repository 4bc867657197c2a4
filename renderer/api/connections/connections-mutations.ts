import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ConnectionCommand, ConnectSessionBody, ImportConnectionBody, SyncCommand } from '../contract.ts';
import { oneByOne } from '../one-by-one.ts';
import { keys } from '../query-keys.ts';
import { type RequestInput, request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import type { ConnectionRef } from './connections-queries.ts';

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

type ConnectionChanges = RequestInput<'PATCH /api/v1/connections/:integrationKey/:connectionId'>['body'];

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

/** Does one thing to at most 100 connections; resolves to the failure of each, in their order. */
export function useConnectionBulk() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ targets, ...command }: ConnectionBulk) => {
      const named = targets.map(({ integrationKey, connectionId }) => ({ integrationKey, connectionId }));
      const body = { ...command, targets: named };
      return (await request('POST /api/v1/connections/bulk', { query: { env }, body })).problems;
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

/** Deletes one or several connections, one after the other; stops at the first failure. */
export function useDeleteConnections() {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (targets: ConnectionRef[]) => {
      for (const params of targets) {
        await request('DELETE /api/v1/connections/:integrationKey/:connectionId', { params, query: { env } });
        client.removeQueries({ queryKey: keys.connection(env, params) });
      }
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

export function useSyncCommand(connection: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (order: SyncOrder) =>
      request('POST /api/v1/sync/command', { query: { env }, body: { ...connection, ...order } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.syncs(env, connection) }),
  });
}

interface SyncTarget extends ConnectionRef {
  sync: string;
  variant: string;
}

/** Sends one command to several syncs, one after the other; resolves to the failure of each, in their order. */
export function useSyncBulk() {
  const env = useEnv();
  return useForEachSync(({ command, targets }: { command: SyncCommand; targets: SyncTarget[] }) =>
    oneByOne(targets, (target) =>
      request('POST /api/v1/sync/command', { query: { env }, body: { ...target, command } }),
    ),
  );
}

/** Gives several syncs a frequency of their own, null for that of the function; resolves as `useSyncBulk`. */
export function useFrequencyBulk() {
  const env = useEnv();
  return useForEachSync(({ frequency, targets }: { frequency: string | null; targets: SyncTarget[] }) =>
    oneByOne(targets, (params) =>
      request('PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant', {
        params,
        query: { env },
        body: { frequency },
      }),
    ),
  );
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

/** Deletes a variant and its records. */
export function useDeleteVariant(connection: ConnectionRef) {
  const env = useEnv();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (params: SyncAddress) =>
      request('DELETE /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant', {
        params: { ...connection, ...params },
        query: { env },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.connection(env, connection) }),
  });
}
