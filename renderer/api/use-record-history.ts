import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { UpdateHistoryBody } from './contract.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import type { ConnectionRef } from './use-connection.ts';
import { useEnv } from './use-env.ts';

export interface StreamRef {
  model: string;
  variant: string;
}

const streamKey = (env: string, connection: ConnectionRef, model: string) =>
  [...keys.connection(env, connection.integrationKey, connection.connectionId), 'records', model] as const;

/** Beside the records: they change with every batch of a run, and counting all versions takes its time. */
const historyKey = (env: string, connection: ConnectionRef, model: string) =>
  [...keys.connection(env, connection.integrationKey, connection.connectionId), 'history', model] as const;

/** Whether versions of the records of a model are kept, and what they take. */
export function useRecordHistory(params: ConnectionRef, stream: StreamRef) {
  const env = useEnv();
  return useQuery({
    queryKey: [...historyKey(env, params, stream.model), stream.variant],
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/connections/:integrationKey/:connectionId/history',
        { params, query: { env, ...stream } },
        signal,
      ),
  });
}

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
        client.invalidateQueries({ queryKey: historyKey(env, connection, model) }),
        client.invalidateQueries({ queryKey: streamKey(env, connection, model) }),
      ]),
  });
}

export function useRecordVersions(params: ConnectionRef, stream: StreamRef, recordId: string) {
  const env = useEnv();
  return useQuery({
    queryKey: [...streamKey(env, params, stream.model), 'versions', stream.variant, recordId],
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/versions',
        { params: { ...params, recordId }, query: { env, ...stream } },
        signal,
      ),
  });
}

export interface VersionPair {
  from: string;
  to: string;
}

export function useRecordDiff(params: ConnectionRef, stream: StreamRef, recordId: string, between: VersionPair) {
  const env = useEnv();
  return useQuery({
    queryKey: [...streamKey(env, params, stream.model), 'diff', stream.variant, recordId, between],
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/diff',
        { params: { ...params, recordId }, query: { env, ...stream, ...between } },
        signal,
      ),
  });
}
