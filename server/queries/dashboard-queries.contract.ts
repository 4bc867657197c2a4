import { z } from 'zod';
import { done, environmentQuery, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';
import {
  queryRecordsBody,
  queryResult,
  queryViews,
  savedQueryBody,
  savedQueryChange,
  savedQueryParams,
  savedQueryResponse,
} from './queries.contract.ts';

/** SQL over records, as the page Query shows it (http-api.md 11.1). */

/** Most rows that the page shows; files and the API take more. */
export const SHOWN_QUERY_ROWS = 5000;

/** The views of an integration, or of the hub itself. */
const viewGroup = z.object({
  schema: z.string(),
  views: z.array(queryViews.shape.data.element.omit({ schema: true })),
});

const { row_count: rowCount, duration_ms: durationMs, ...result } = queryResult.shape;

const { created_at: createdAt, updated_at: updatedAt, ...saved } = savedQueryResponse.shape.data.shape;
const savedQuery = z.object({ ...saved, createdAt, updatedAt });
const queryParams = z.object({ queryId: z.string().max(255) });

export const queriesRouteShapes = {
  'GET /api/v1/record-views': {
    meaning: 'The views that a query can name, with their columns.',
    query: environmentQuery,
    response: z.object({ data: z.array(viewGroup) }),
  },
  'POST /api/v1/records/query': {
    meaning: 'Runs one statement that reads.',
    query: environmentQuery,
    body: queryRecordsBody.pick({ sql: true, params: true }),
    response: z.object({ ...result, rowCount, durationMs }),
  },
  'GET /api/v1/saved-queries': {
    meaning: 'The saved queries, by name.',
    query: environmentQuery,
    response: wholeResponse(savedQuery),
  },
  'POST /api/v1/saved-queries': {
    meaning: 'Saves one; 409 when the name is taken.',
    query: environmentQuery,
    body: savedQueryBody.extend(savedQueryParams.shape),
    response: savedQuery,
  },
  'PATCH /api/v1/saved-queries/:queryId': {
    meaning: 'Renames it, or replaces its statement.',
    params: queryParams,
    query: environmentQuery,
    body: savedQueryChange,
    response: savedQuery,
  },
  'DELETE /api/v1/saved-queries/:queryId': {
    meaning: 'Deletes it.',
    params: queryParams,
    query: environmentQuery,
    response: done,
  },
};

export type ShownQuery = z.infer<typeof savedQuery>;
export type ViewGroup = z.infer<typeof viewGroup>;
export type QueryAnswerView = z.infer<(typeof queriesRouteShapes)['POST /api/v1/records/query']['response']>;
