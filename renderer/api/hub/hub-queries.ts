import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../lib/api-error.ts';
import type { OpenApiDocument } from '../contract.ts';
import { keys } from '../query-keys.ts';
import { hubQuery, routeQuery, rowsIn } from '../route-query.ts';

/** Data that every page needs: the environments, the health of the hub, its addresses. */
export const metaQueryOptions = () => hubQuery('GET /api/v1/meta', {});

/** The data folder: disk use, backups, master key. */
export const dataQueryOptions = () => hubQuery('GET /api/v1/data', {});

/** Whether the master key is still where it should be; the hub checks on every request. */
export const masterKeyQueryOptions = () => hubQuery('GET /api/v1/data/key', {});

/** One environment and the numbers of objects in it. */
export const environmentQueryOptions = (env: string) => routeQuery(env, 'GET /api/v1/environments/current', {});

/** The support report, made now. */
export const diagnosticsQueryOptions = () => hubQuery('GET /api/v1/diagnostics', {}, { staleTime: 0 });

/** Browsers that are signed in to the dashboard, last used first. */
export const sessionsQueryOptions = () => hubQuery('GET /api/v1/sessions', {}, { select: rowsIn });

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
