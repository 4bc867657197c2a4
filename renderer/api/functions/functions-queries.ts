import { keepPreviousData } from '@tanstack/react-query';
import { shownTimeZone } from '../../lib/shown-zone.ts';
import type { ShownFunctionType } from '../contract.ts';
import type { EventStream } from '../events/event-stream.ts';
import { runsQuery } from '../logs/logs-queries.ts';
import { type ListQuery, routePages, routeQuery, rowsIn } from '../route-query.ts';
import { useEnv } from '../use-env.ts';
import { usePagedRows } from '../use-paged-rows.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

export interface FunctionRef {
  integrationKey: string;
  type: ShownFunctionType;
  name: string;
}

const WAITING = {
  rowKey: ({ integrationKey, type, name }: FunctionRef) => `${integrationKey}/${type}/${name}`,
  onNew: (stream: EventStream, notify: (key: string) => void) =>
    stream.on('function', ({ change, ...ref }) => change === 'created' && notify(WAITING.rowKey(ref))),
};

export const useFunctions = (query: ListQuery<'GET /api/v1/functions'>) =>
  usePinnedRows(...routePages(useEnv(), 'GET /api/v1/functions', { query }), { waiting: WAITING });

export const functionQueryOptions = (env: string, params: FunctionRef) =>
  routeQuery(env, 'GET /api/v1/functions/:integrationKey/:type/:name', { params });

/** The first matches, for the palette. */
export const functionSearchQueryOptions = (env: string, search: string) =>
  routeQuery(
    env,
    'GET /api/v1/functions',
    { query: { search, limit: 6 } },
    { select: rowsIn, enabled: search.length > 1, placeholderData: keepPreviousData },
  );

/** The 200 functions that ran last, for the palette. */
export const functionChoicesQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/functions', { query: { sort: '-lastRun' } }, { select: rowsIn });

/** Functions of one type to choose from: the first matches, those that ran last first. */
export const functionOptionsQueryOptions = (env: string, types: ShownFunctionType, search: string) =>
  routeQuery(
    env,
    'GET /api/v1/functions',
    { query: { types, search, sort: '-lastRun', limit: 50 } },
    { select: rowsIn },
  );

/** Templates for the provider of an integration. */
export const templatesQueryOptions = (env: string, integrationKey: string) =>
  routeQuery(
    env,
    'GET /api/v1/integrations/:integrationKey/templates',
    { params: { integrationKey } },
    { select: rowsIn },
  );

/** Types of the operations that are runs of a function, by function type. */
export const RUN_TYPES = { sync: 'sync:run', action: 'action', 'on-event': 'events' } as const;

const COUNT_EVERY_MS = 15_000;

/** How the runs of the last seven days ended. */
export const functionStatsQueryOptions = (env: string, params: FunctionRef) =>
  routeQuery(
    env,
    'GET /api/v1/functions/:integrationKey/:type/:name/stats',
    { params, query: { timeZone: shownTimeZone() } },
    { refetchInterval: COUNT_EVERY_MS },
  );

/** The state of a sync on every connection of its integration. */
export const useFunctionConnections = (params: Omit<FunctionRef, 'type'>, query: { search: string; sort: string }) =>
  usePagedRows(
    ...routePages(useEnv(), 'GET /api/v1/functions/:integrationKey/sync/:name/connections', { params, query }),
  );

/** Connections to choose from on which a sync exists: the first matches, and how many there are. */
export const syncConnectionsQueryOptions = (env: string, params: Omit<FunctionRef, 'type'>, search: string) =>
  routeQuery(env, 'GET /api/v1/functions/:integrationKey/sync/:name/connections', {
    params,
    query: { search, limit: 50 },
  });

/** The newest 50 deployments of a function, failed ones included. */
export const functionDeploysQueryOptions = (env: string, { integrationKey, name }: Omit<FunctionRef, 'type'>) =>
  runsQuery(env, { integrations: integrationKey, syncs: name, types: 'deploy', limit: 50 });

/** The versions of a function that were live, newest first. */
export const functionVersionsQueryOptions = (env: string, params: FunctionRef) =>
  routeQuery(env, 'GET /api/v1/functions/:integrationKey/:type/:name/versions', { params }, { select: rowsIn });

export const versionSourceQueryOptions = (env: string, ref: FunctionRef, versionId: number) =>
  routeQuery(
    env,
    'GET /api/v1/functions/:integrationKey/:type/:name/versions/:versionId',
    { params: { ...ref, versionId } },
    { select: ({ code }) => code, staleTime: Number.POSITIVE_INFINITY },
  );

/** Recorded runs of a function. */
export const functionTestsQueryOptions = (env: string, params: FunctionRef) =>
  routeQuery(env, 'GET /api/v1/functions/:integrationKey/:type/:name/tests', { params });

/** The first 50 requests of a run to the provider. */
export const runRequestsQueryOptions = (env: string, operationId: string) =>
  routeQuery(env, 'GET /api/v1/logs/messages', { query: { operationId, types: 'http', limit: 50 } });

/** The newest 50 runs of a function. */
export const functionRunsQueryOptions = (env: string, { integrationKey, type, name }: FunctionRef) =>
  runsQuery(env, { integrations: integrationKey, syncs: name, types: RUN_TYPES[type], limit: 50 });
