import { queryOptions, skipToken } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';
import { usePinnedRows } from '../use-pinned-rows.ts';

interface IntegrationFilter {
  search?: string | undefined;
  authModes?: string | undefined;
  sort?: string | undefined;
}

export function useIntegrations(filter: IntegrationFilter) {
  const env = useEnv();
  return usePinnedRows(keys.integrationList(env, filter), (page, signal) =>
    request('GET /api/v1/integrations', { query: { env, ...filter, ...page } as never }, signal),
  );
}

export const integrationQueryOptions = (env: string, integrationKey: string) =>
  queryOptions({
    queryKey: keys.integration(env, integrationKey),
    queryFn: ({ signal }) =>
      request('GET /api/v1/integrations/:integrationKey', { params: { integrationKey }, query: { env } }, signal),
  });

/** The first 200 integrations by name, for pickers and the palette. */
export const integrationChoicesQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.integrationOptions(env),
    queryFn: ({ signal }) => request('GET /api/v1/integrations', { query: { env, sort: 'name' } }, signal),
    select: (answer) => answer.data,
  });

/** The whole catalogue; it does not change while the page is open. */
export const providersQueryOptions = () =>
  queryOptions({
    queryKey: keys.providers,
    queryFn: ({ signal }) => request('GET /api/v1/providers', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    select: (answer) => answer.data,
  });

/** Undefined: none is asked for. */
export const providerQueryOptions = (provider: string | undefined) =>
  queryOptions({
    queryKey: keys.provider(provider),
    queryFn:
      provider === undefined
        ? skipToken
        : ({ signal }) => request('GET /api/v1/providers/:provider', { params: { provider } }, signal),
  });
