import { queryOptions, skipToken } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

export const integrationQueryOptions = (env: string, integrationKey: string) =>
  queryOptions({
    queryKey: keys.integration(env, integrationKey),
    queryFn: ({ signal }) =>
      request('GET /api/v1/integrations/:integrationKey', { params: { integrationKey }, query: { env } }, signal),
  });

/** Saved changes of the last 30 days, newest first. */
export const integrationChangesQueryOptions = (env: string, integrationKey: string) =>
  queryOptions({
    queryKey: keys.integrationChanges(env, integrationKey),
    queryFn: ({ signal }) =>
      request(
        'GET /api/v1/integrations/:integrationKey/changes',
        { params: { integrationKey }, query: { env } },
        signal,
      ),
    select: (response) => response.data,
  });

/** The first 200 integrations by name, for pickers and the palette. */
export const integrationChoicesQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.integrationOptions(env),
    queryFn: ({ signal }) => request('GET /api/v1/integrations', { query: { env, sort: 'name' } }, signal),
    select: (response) => response.data,
  });

/** The whole catalogue; it does not change while the page is open. */
export const providersQueryOptions = () =>
  queryOptions({
    queryKey: keys.providers,
    queryFn: ({ signal }) => request('GET /api/v1/providers', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    select: (response) => response.data,
  });

/** Errors and warnings of the workspace's provider files. */
export const catalogFindingsQueryOptions = () =>
  queryOptions({
    queryKey: keys.catalogFindings,
    queryFn: ({ signal }) => request('GET /api/v1/provider-entries', {}, signal),
  });

/** The workspace entry of one provider, as written. */
export const providerEntryQueryOptions = (provider: string) =>
  queryOptions({
    queryKey: keys.providerEntry(provider),
    queryFn: ({ signal }) => request('GET /api/v1/provider-entries/:provider', { params: { provider } }, signal),
    // An editor is open on it: a refetch must not replace the text.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** The findings of the catalogue for an unsaved text. */
export const checkedEntriesQueryOptions = (file: string, text: string) =>
  queryOptions({
    queryKey: keys.checkedEntries(`${file}\n${text}`),
    queryFn: ({ signal }) => request('POST /api/v1/provider-entries/check', { body: { file, text } }, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  });

/** Undefined: no request. */
export const providerQueryOptions = (provider: string | undefined) =>
  queryOptions({
    queryKey: keys.provider(provider),
    queryFn:
      provider === undefined
        ? skipToken
        : ({ signal }) => request('GET /api/v1/providers/:provider', { params: { provider } }, signal),
  });
