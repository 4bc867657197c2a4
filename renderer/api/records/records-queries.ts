import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ConnectionRef } from '../connections/connections-queries.ts';
import type { EventStream } from '../events/event-stream.ts';
import { keys, pageKeys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

export interface StreamRef {
  model: string;
  variant: string;
}

interface RecordFilter extends StreamRef {
  search?: string | undefined;
  /** Comma-separated list. */
  actions?: string | undefined;
  sort?: string | undefined;
  /** A past moment; absent: now. */
  at?: string | undefined;
  /** The period in which they changed, in the server's form. */
  period?: string | undefined;
  /** Comma-separated list of the members that rows preview. */
  fields?: string | undefined;
}

/** Records of a model; `lost` counts records whose version at the moment `at` is no longer stored. */
export function useRecords(params: ConnectionRef, filter: RecordFilter) {
  const env = useEnv();
  const client = useQueryClient();
  const key = keys.recordList(env, params, filter);
  const ask = (page: object, signal?: AbortSignal) =>
    request(
      'GET /api/v1/connections/:integrationKey/:connectionId/records',
      { params, query: { env, ...filter, ...page } },
      signal,
    );
  const keyText = JSON.stringify(key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `keyText` contains the connection and the filter.
  const waiting = useMemo(
    () => ({
      rowKey: (row: { id: string }) => row.id,
      onNew: (stream: EventStream, notify: (key: string) => void) =>
        stream.on('records', ({ model, variant, ...ref }) => {
          const isOurs = model === filter.model && variant === filter.variant && filter.at === undefined;
          if (isOurs && ref.integrationKey === params.integrationKey && ref.connectionId === params.connectionId)
            notify('');
        }),
      countNow: async () => (await ask({ limit: 1 })).total,
    }),
    [keyText],
  );
  const rows = usePinnedRows(key, ask, { waiting, isFrozen: true });
  // The first page is in the cache whenever rows are shown.
  return { ...rows, lost: client.getQueryData<{ lost: number }>(pageKeys.first(key))?.lost ?? 0 };
}

/** The models of which a connection has records. */
export const modelsQueryOptions = (env: string, params: ConnectionRef) =>
  queryOptions({
    queryKey: keys.models(env, params),
    queryFn: ({ signal }) =>
      request('GET /api/v1/connections/:integrationKey/:connectionId/models', { params, query: { env } }, signal),
    select: (response) => response.data,
  });

/** With `at`: the record as it was at that moment. */
export const recordQueryOptions = (
  env: string,
  connection: ConnectionRef,
  query: StreamRef & { at?: string | undefined },
  recordId: string,
) =>
  queryOptions({
    queryKey: keys.record(env, connection, query.model, { ...query, recordId }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId',
        { params: { ...connection, recordId }, query: { env, ...query } },
        signal,
      ),
  });

/** Where records of this id are, of all connections. */
export const recordPlacesQueryOptions = (env: string, recordId: string) =>
  queryOptions({
    queryKey: keys.recordPlaces(env, recordId),
    queryFn: ({ signal }) => request('GET /api/v1/records/:recordId', { params: { recordId }, query: { env } }, signal),
    select: (response) => response.data,
  });

/** Whether versions of the records of a model are kept, and their size. */
export const recordHistoryQueryOptions = (env: string, params: ConnectionRef, stream: StreamRef) =>
  queryOptions({
    queryKey: keys.historyOfVariant(env, params, stream),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/connections/:integrationKey/:connectionId/history',
        { params, query: { env, ...stream } },
        signal,
      ),
  });

export const recordVersionsQueryOptions = (env: string, params: ConnectionRef, stream: StreamRef, recordId: string) =>
  queryOptions({
    queryKey: keys.recordVersions(env, params, stream.model, { ...stream, recordId }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/versions',
        { params: { ...params, recordId }, query: { env, ...stream } },
        signal,
      ),
  });

export interface VersionPair {
  from: string;
  to: string;
}

export const recordDiffQueryOptions = (
  env: string,
  params: ConnectionRef,
  stream: StreamRef,
  recordId: string,
  between: VersionPair,
) =>
  queryOptions({
    queryKey: keys.recordDiff(env, params, stream.model, { ...stream, recordId, between }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/diff',
        { params: { ...params, recordId }, query: { env, ...stream, ...between } },
        signal,
      ),
  });
