import { empty } from '../contract/fields.ts';
import { ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateParams, validateQuery } from '../platform/http/validate.ts';
import {
  QUERY_SCOPE,
  savedQueriesResponse,
  savedQueryBody,
  savedQueryParams,
  savedQueryResponse,
} from './queries.contract.ts';
import { presentSavedQuery } from './saved-queries.present.ts';
import type { SavedQueriesService } from './saved-queries.service.ts';

export interface SavedQueriesApiDeps {
  savedQueries: SavedQueriesService;
}

const EXAMPLE = { sql: 'SELECT state, count(*) AS issues FROM practice.Issue GROUP BY state' };

/** Statements that are kept under a name (http-api.md 11.1). */
export function savedQueriesApi({ savedQueries }: SavedQueriesApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/records/queries',
      access: 'key',
      scopes: [QUERY_SCOPE],
      limitedKeys: 'open',
      handler: async ({ environment, query }) => {
        validateQuery(empty, query);
        return ok({ data: (await savedQueries.list(environment.id)).map(presentSavedQuery) });
      },
      openapi: {
        id: 'listSavedQueries',
        tag: 'Records',
        summary: 'List the saved queries',
        query: empty,
        responses: { 200: savedQueriesResponse },
      },
    },
    {
      method: 'put',
      path: '/records/queries/:name',
      access: 'key',
      scopes: [QUERY_SCOPE],
      limitedKeys: 'refused',
      handler: async ({ body, environment, params, query }) => {
        const { name } = validateParams(savedQueryParams, params);
        validateQuery(empty, query);
        const content = validateBody(savedQueryBody, body);
        return ok({ data: presentSavedQuery(await savedQueries.put(environment.id, { name, ...content })) });
      },
      openapi: {
        id: 'putSavedQuery',
        tag: 'Records',
        summary: 'Save a query under a name',
        details: 'Replaces the query of that name. Upper and lower case are the same.',
        params: savedQueryParams,
        query: empty,
        body: savedQueryBody,
        responses: { 200: savedQueryResponse },
        errors: ['resource_capped'],
        example: { path: '/records/queries/issues-by-state', body: EXAMPLE },
      },
    },
  ];
}
