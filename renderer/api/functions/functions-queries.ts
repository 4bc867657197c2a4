import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { shownTimeZone } from '../../lib/shown-zone.ts';
import type { ShownFunctionType } from '../contract.ts';
import type { EventStream } from '../events/event-stream.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import { usePagedRows } from '../use-paged-rows.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

export interface FunctionRef {
  integrationKey: string;
  type: ShownFunctionType;
  name: string;
}

interface FunctionFilter {
  search?: string | undefined;
  integrations?: string | undefined;
  types?: string | undefined;
  status?: string | undefined;
  sort?: string | undefined;
  groupBy?: 'integration' | 'status' | undefined;
}

const WAITING = {
  rowKey: ({ integrationKey, type, name }: FunctionRef) => `${integrationKey}/${type}/${name}`,
  onNew: (stream: EventStream, notify: (key: string) => void) =>
    stream.on('function', ({ change, ...ref }) => change === 'created' && notify(WAITING.rowKey(ref))),
};

export function useFunctions(filter: FunctionFilter) {
  const env = useEnv();
  return usePinnedRows(
    keys.functionList(env, filter),
    (page, signal) => request('GET /api/v1/functions', { query: { env, ...filter, ...page } }, signal),
    { waiting: WAITING },
  );
}

export const functionQueryOptions = (env: string, params: FunctionRef) =>
  queryOptions({
    queryKey: keys.function(env, params),
    queryFn: ({ signal }) =>
      request('GET /api/v1/functions/:integrationKey/:type/:name', { params, query: { env } }, signal),
  });

/** The first matches, for the palette. */
export const functionSearchQueryOptions = (env: string, search: string) =>
  queryOptions({
    queryKey: keys.functionSearch(env, search),
    queryFn: ({ signal }) => request('GET /api/v1/functions', { query: { env, search, limit: 6 } }, signal),
    select: (response) => response.data,
    enabled: search.length > 1,
    placeholderData: keepPreviousData,
  });

/** The 200 functions that ran last, for the palette. */
export const functionChoicesQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.functionList(env, { for: 'palette' }),
    queryFn: ({ signal }) => request('GET /api/v1/functions', { query: { env, sort: '-lastRun' } }, signal),
    select: (response) => response.data,
  });

/** Functions of one type to choose from: the first matches, those that ran last first. */
export const functionOptionsQueryOptions = (env: string, type: ShownFunctionType, search: string) =>
  queryOptions({
    queryKey: keys.functionList(env, { for: 'choice', type, search }),
    queryFn: ({ signal }) =>
      request('GET /api/v1/functions', { query: { env, types: type, search, sort: '-lastRun', limit: 50 } }, signal),
    select: (response) => response.data,
  });

/** Templates for the provider of an integration. */
export const templatesQueryOptions = (env: string, integrationKey: string) =>
  queryOptions({
    queryKey: keys.templates(env, integrationKey),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/integrations/:integrationKey/templates',
        { params: { integrationKey }, query: { env } },
        signal,
      ),
    select: (response) => response.data,
  });

/** Types of the operations that are runs of a function, by function type. */
export const RUN_TYPES = { sync: 'sync:run', action: 'action', 'on-event': 'events' } as const;

const COUNT_EVERY_MS = 15_000;

/** How the runs of the last seven days ended. */
export const functionStatsQueryOptions = (env: string, { integrationKey, type, name }: FunctionRef) => {
  const timeZone = shownTimeZone();
  return queryOptions({
    queryKey: keys.functionStats(env, { integrationKey, type, name, timeZone }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/functions/:integrationKey/:type/:name/stats',
        { params: { integrationKey, type, name }, query: { env, timeZone } },
        signal,
      ),
    refetchInterval: COUNT_EVERY_MS,
  });
};

/** The state of a sync on every connection of its integration. */
export function useFunctionConnections(
  { integrationKey, name }: Omit<FunctionRef, 'type'>,
  { search, sort }: { search: string; sort: string },
) {
  const env = useEnv();
  return usePagedRows(keys.functionConnections(env, { integrationKey, name, search, sort }), (page, signal) =>
    request(
      'GET /api/v1/functions/:integrationKey/sync/:name/connections',
      { params: { integrationKey, name }, query: { env, search, sort, ...page } },
      signal,
    ),
  );
}

/** Connections to choose from on which a sync exists: the first matches, and how many there are. */
export const syncConnectionsQueryOptions = (
  env: string,
  { integrationKey, name }: Omit<FunctionRef, 'type'>,
  search: string,
) =>
  queryOptions({
    queryKey: keys.functionConnections(env, { integrationKey, name, search, for: 'choice' }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/functions/:integrationKey/sync/:name/connections',
        { params: { integrationKey, name }, query: { env, search, limit: 50 } },
        signal,
      ),
  });

/** The newest 50 deployments of a function, failed ones included. */
export const functionDeploysQueryOptions = (env: string, { integrationKey, name }: Omit<FunctionRef, 'type'>) =>
  queryOptions({
    queryKey: keys.functionDeploys(env, { integrationKey, name }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/logs/operations',
        { query: { env, integrations: integrationKey, syncs: name, types: 'deploy', limit: 50 } },
        signal,
      ),
  });

/** The versions of a function that were live, newest first. */
export const functionVersionsQueryOptions = (env: string, { integrationKey, type, name }: FunctionRef) =>
  queryOptions({
    queryKey: keys.functionVersions(env, { integrationKey, type, name }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/functions/:integrationKey/:type/:name/versions',
        { params: { integrationKey, type, name }, query: { env } },
        signal,
      ),
    select: (response) => response.data,
  });

export const versionSourceQueryOptions = (
  env: string,
  { integrationKey, type, name }: FunctionRef,
  versionId: number,
) =>
  queryOptions({
    queryKey: keys.versionSource(env, { integrationKey, type, name, versionId }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/functions/:integrationKey/:type/:name/versions/:versionId',
        { params: { integrationKey, type, name, versionId }, query: { env } },
        signal,
      ),
    select: (response) => response.code,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Recorded runs of a function. */
export const functionTestsQueryOptions = (env: string, { integrationKey, type, name }: FunctionRef) =>
  queryOptions({
    queryKey: keys.functionTests(env, { integrationKey, type, name }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/functions/:integrationKey/:type/:name/tests',
        { params: { integrationKey, type, name }, query: { env } },
        signal,
      ),
  });

/** The first 50 requests of a run to the provider. */
export const runRequestsQueryOptions = (env: string, operationId: string) =>
  queryOptions({
    queryKey: keys.messageList(env, operationId, { types: 'http', limit: 50 }),
    queryFn: ({ signal }) =>
      request('GET /api/v1/logs/messages', { query: { env, operationId, types: 'http', limit: 50 } }, signal),
  });

/** The newest 50 runs of a function. */
export const functionRunsQueryOptions = (env: string, { integrationKey, type, name }: FunctionRef) =>
  queryOptions({
    queryKey: keys.functionRuns(env, { integrationKey, type, name }),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/logs/operations',
        { query: { env, integrations: integrationKey, syncs: name, types: RUN_TYPES[type], limit: 50 } },
        signal,
      ),
  });
