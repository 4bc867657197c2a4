import { keepPreviousData } from '@tanstack/react-query';
import type { EventStream } from '../events/event-stream.ts';
import { type ListQuery, routePages, routeQuery, rowsIn } from '../route-query.ts';
import { useEnv } from '../use-env.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

export interface ConnectionRef {
  integrationKey: string;
  connectionId: string;
}

/** Lists are comma-separated, as in the address. */
export type ConnectionListFilter = ListQuery<'GET /api/v1/connections'>;

const WAITING = {
  rowKey: ({ integrationKey, connectionId }: ConnectionRef) => `${integrationKey}\n${connectionId}`,
  onNew: (stream: EventStream, notify: (key: string) => void) =>
    stream.on('connection', ({ change, ...ref }) => change === 'created' && notify(WAITING.rowKey(ref))),
};

export const useConnections = (query: ConnectionListFilter) =>
  usePinnedRows(...routePages(useEnv(), 'GET /api/v1/connections', { query }), { waiting: WAITING });

export const connectionQueryOptions = (env: string, params: ConnectionRef) =>
  routeQuery(env, 'GET /api/v1/connections/:integrationKey/:connectionId', { params });

/** The options of a connection picker: the first matches, recently used ones first. */
export const connectionChoicesQueryOptions = (env: string, search: string, integrations?: string) =>
  routeQuery(
    env,
    'GET /api/v1/connections',
    { query: { search, limit: 50, sort: '-used', integrations } },
    { select: rowsIn, placeholderData: keepPreviousData },
  );

/** The first matches, for the palette. */
export const connectionSearchQueryOptions = (env: string, search: string) =>
  routeQuery(
    env,
    'GET /api/v1/connections',
    { query: { search, limit: 6 } },
    { select: rowsIn, enabled: search.length > 1, placeholderData: keepPreviousData },
  );

export const syncsQueryOptions = (env: string, { integrationKey, connectionId }: ConnectionRef) =>
  routeQuery(
    env,
    'GET /api/v1/sync',
    { query: { integration: integrationKey, connection: connectionId } },
    { select: rowsIn },
  );

/** When a sync would run with another frequency; fails when the text is not a frequency. */
export const nextRunsQueryOptions = (
  env: string,
  ref: ConnectionRef,
  { name, variant }: { name: string; variant: string },
  frequency: string,
) =>
  routeQuery(
    env,
    'GET /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant/next-runs',
    { params: { ...ref, sync: name, variant }, query: { frequency } },
    { select: ({ at }) => at, enabled: frequency !== '', retry: false, staleTime: 0 },
  );
