import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { EventStream } from '../events/event-stream.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

export interface ConnectionRef {
  integrationKey: string;
  connectionId: string;
}

export interface ConnectionListFilter {
  search?: string | undefined;
  /** Comma-separated list. */
  integrations?: string | undefined;
  /** Comma-separated list. */
  status?: string | undefined;
  /** Comma-separated list of types of credentials. */
  authModes?: string | undefined;
  /** Comma-separated list of `name: value`. */
  tags?: string | undefined;
  sort?: string | undefined;
  groupBy?: 'integration' | 'status' | undefined;
}

const WAITING = {
  rowKey: ({ integrationKey, connectionId }: ConnectionRef) => `${integrationKey}\n${connectionId}`,
  onNew: (stream: EventStream, notify: (key: string) => void) =>
    stream.on('connection', ({ change, ...ref }) => change === 'created' && notify(WAITING.rowKey(ref))),
};

export function useConnections(filter: ConnectionListFilter) {
  const env = useEnv();
  return usePinnedRows(
    keys.connectionList(env, filter),
    (page, signal) => request('GET /api/v1/connections', { query: { env, ...filter, ...page } }, signal),
    { waiting: WAITING },
  );
}

export const connectionQueryOptions = (env: string, params: ConnectionRef) =>
  queryOptions({
    queryKey: keys.connection(env, params),
    queryFn: ({ signal }) =>
      request('GET /api/v1/connections/:integrationKey/:connectionId', { params, query: { env } }, signal),
  });

/** The options of a connection picker: the first matches, recently used ones first. */
export const connectionChoicesQueryOptions = (env: string, search: string, integration?: string) =>
  queryOptions({
    queryKey: keys.connectionOptions(env, search, integration),
    queryFn: ({ signal }) => {
      const query = { env, search, limit: 50, sort: '-used' as const };
      return request(
        'GET /api/v1/connections',
        { query: integration === undefined ? query : { ...query, integrations: integration } },
        signal,
      );
    },
    select: (response) => response.data,
    placeholderData: keepPreviousData,
  });

/** The first matches, for the palette. */
export const connectionSearchQueryOptions = (env: string, search: string) =>
  queryOptions({
    queryKey: keys.connectionSearch(env, search),
    queryFn: ({ signal }) => request('GET /api/v1/connections', { query: { env, search, limit: 6 } }, signal),
    select: (response) => response.data,
    enabled: search.length > 1,
    placeholderData: keepPreviousData,
  });

export const syncsQueryOptions = (env: string, ref: ConnectionRef) =>
  queryOptions({
    queryKey: keys.syncs(env, ref),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/sync',
        { query: { env, integration: ref.integrationKey, connection: ref.connectionId } },
        signal,
      ),
    select: (response) => response.data,
  });

/** When a sync would run with another frequency; fails when the text is not a frequency. */
export const nextRunsQueryOptions = (
  env: string,
  ref: ConnectionRef,
  { name, variant }: { name: string; variant: string },
  frequency: string,
) =>
  queryOptions({
    queryKey: keys.nextRuns(env, ref, { name, variant }, frequency),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant/next-runs',
        { params: { ...ref, sync: name, variant }, query: { env, frequency } },
        signal,
      ),
    select: (response) => response.at,
    enabled: frequency !== '',
    retry: false,
    staleTime: 0,
  });
