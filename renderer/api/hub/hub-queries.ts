import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../lib/api-error.ts';
import type { OpenApiDocument } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';

/** Data that every page needs: the environments, the health of the hub, its addresses. */
export const metaQueryOptions = () =>
  queryOptions({ queryKey: keys.meta, queryFn: ({ signal }) => request('GET /api/v1/meta', {}, signal) });

/** The data folder: disk use, backups, master key. */
export const dataQueryOptions = () =>
  queryOptions({ queryKey: keys.data, queryFn: ({ signal }) => request('GET /api/v1/data', {}, signal) });

/** Whether the master key is still where it should be; the hub checks on every request. */
export const masterKeyQueryOptions = () =>
  queryOptions({ queryKey: keys.masterKey, queryFn: ({ signal }) => request('GET /api/v1/data/key', {}, signal) });

/** One environment and the numbers of objects in it. */
export const environmentQueryOptions = (env: string) =>
  queryOptions({
    queryKey: keys.environmentDetail(env),
    queryFn: ({ signal }) => request('GET /api/v1/environments/current', { query: { env } }, signal),
  });

/** The support report, made now. */
export const diagnosticsQueryOptions = () =>
  queryOptions({
    queryKey: keys.diagnostics,
    queryFn: ({ signal }) => request('GET /api/v1/diagnostics', {}, signal),
    staleTime: 0,
  });

/** Browsers that are signed in to the dashboard, last used first. */
export const sessionsQueryOptions = () =>
  queryOptions({
    queryKey: keys.sessions,
    queryFn: ({ signal }) => request('GET /api/v1/sessions', {}, signal),
    select: (response) => response.data,
  });

/** The OpenAPI document of the public API; it changes only with the program. */
export const apiDocumentQueryOptions = () =>
  queryOptions({
    queryKey: keys.apiDocument,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const response = await fetch('/openapi.json', { signal });
      if (!response.ok)
        throw new ApiError('unreachable', 'The description of the API cannot be read.', response.status);
      return (await response.json()) as OpenApiDocument;
    },
  });
