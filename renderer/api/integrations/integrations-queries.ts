import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { hubQuery, routeQuery, rowsIn } from '../route-query.ts';

export const integrationQueryOptions = (env: string, integrationKey: string) =>
  routeQuery(env, 'GET /api/v1/integrations/:integrationKey', { params: { integrationKey } });

/** Saved changes of the last 30 days, newest first. */
export const integrationChangesQueryOptions = (env: string, integrationKey: string) =>
  routeQuery(
    env,
    'GET /api/v1/integrations/:integrationKey/changes',
    { params: { integrationKey } },
    { select: rowsIn },
  );

/** The weekly comparison with the recordings. */
export const driftWatchQueryOptions = (env: string, integrationKey: string) =>
  routeQuery(env, 'GET /api/v1/integrations/:integrationKey/drift-watch', { params: { integrationKey } });

/** The first 200 integrations by name, for pickers and the palette. */
export const integrationChoicesQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/integrations', { query: { sort: 'name' } }, { select: rowsIn });

/** The whole catalogue; it does not change while the page is open. */
export const providersQueryOptions = () =>
  hubQuery('GET /api/v1/providers', {}, { staleTime: Number.POSITIVE_INFINITY, select: rowsIn });

/** Errors and warnings of the workspace's provider files. */
export const catalogFindingsQueryOptions = () => hubQuery('GET /api/v1/provider-entries', {});

/** The workspace entry of one provider, as written. An editor is open on it: a refetch must not replace the text. */
export const providerEntryQueryOptions = (provider: string) =>
  hubQuery(
    'GET /api/v1/provider-entries/:provider',
    { params: { provider } },
    { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
  );

/** The findings of the catalogue for an unsaved text. */
export const checkedEntriesQueryOptions = (file: string, text: string) =>
  queryOptions({
    queryKey: keys.checkedEntries(file, text),
    queryFn: ({ signal }) => request('POST /api/v1/provider-entries/check', { body: { file, text } }, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  });

/** Undefined: no request. */
export const providerQueryOptions = (provider: string | undefined) =>
  hubQuery('GET /api/v1/providers/:provider', provider === undefined ? undefined : { params: { provider } });
