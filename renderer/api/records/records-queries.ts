import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ConnectionRef } from '../connections/connections-queries.ts';
import type { EventStream } from '../events/event-stream.ts';
import { pageKeys } from '../query-keys.ts';
import { type ListQuery, routePages, routeQuery, rowsIn } from '../route-query.ts';
import { useEnv } from '../use-env.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

export interface StreamRef {
  model: string;
  variant: string;
}

type RecordFilter = ListQuery<'GET /api/v1/connections/:integrationKey/:connectionId/records'>;

/** Records of a model; `lost` counts records whose version at the moment `at` is no longer stored. */
export function useRecords(params: ConnectionRef, query: RecordFilter) {
  const client = useQueryClient();
  const route = 'GET /api/v1/connections/:integrationKey/:connectionId/records';
  const [key, read] = routePages(useEnv(), route, { params, query });
  const keyText = JSON.stringify(key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `keyText` contains the connection and the filter.
  const waiting = useMemo(
    () => ({
      rowKey: (row: { id: string }) => row.id,
      onNew: (stream: EventStream, notify: (key: string) => void) =>
        stream.on('records', ({ model, variant, ...ref }) => {
          const isOurs = model === query.model && variant === query.variant && query.at === undefined;
          if (isOurs && ref.integrationKey === params.integrationKey && ref.connectionId === params.connectionId)
            notify('');
        }),
      countNow: async () => (await read({ limit: 1 })).total,
    }),
    [keyText],
  );
  const rows = usePinnedRows(key, read, { waiting, isFrozen: true });
  // The first page is in the cache whenever rows are shown.
  return { ...rows, lost: client.getQueryData<{ lost: number }>(pageKeys.first(key))?.lost ?? 0 };
}

/** The models of which a connection has records. */
export const modelsQueryOptions = (env: string, params: ConnectionRef) =>
  routeQuery(env, 'GET /api/v1/connections/:integrationKey/:connectionId/models', { params }, { select: rowsIn });

/** With `at`: the record as it was at that moment. */
export const recordQueryOptions = (
  env: string,
  connection: ConnectionRef,
  query: StreamRef & { at?: string | undefined },
  recordId: string,
) =>
  routeQuery(env, 'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId', {
    params: { ...connection, recordId },
    query,
  });

/** Where records of this id are, of all connections. */
export const recordPlacesQueryOptions = (env: string, recordId: string) =>
  routeQuery(env, 'GET /api/v1/records/:recordId', { params: { recordId } }, { select: rowsIn });

/** Whether versions of the records of a model are kept, and their size. */
export const recordHistoryQueryOptions = (env: string, params: ConnectionRef, query: StreamRef) =>
  routeQuery(env, 'GET /api/v1/connections/:integrationKey/:connectionId/history', { params, query });

export const recordVersionsQueryOptions = (
  env: string,
  connection: ConnectionRef,
  query: StreamRef,
  recordId: string,
) =>
  routeQuery(env, 'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/versions', {
    params: { ...connection, recordId },
    query,
  });

export interface VersionPair {
  from: string;
  to: string;
}

export const recordDiffQueryOptions = (
  env: string,
  connection: ConnectionRef,
  stream: StreamRef,
  recordId: string,
  between: VersionPair,
) =>
  routeQuery(env, 'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/diff', {
    params: { ...connection, recordId },
    query: { ...stream, ...between },
  });
