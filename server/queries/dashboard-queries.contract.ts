import { z } from 'zod';
import { environmentQuery } from '../contract/dashboard/dashboard-lists.ts';
import { queryRecordsBody, queryResult, queryViews } from './queries.contract.ts';

/** SQL over records, as the page Query shows it (http-api.md 11.1). */

/** Most rows that the page shows; files and the API take more. */
export const SHOWN_QUERY_ROWS = 5000;

/** The views of an integration, or of the hub itself. */
const viewGroup = z.object({
  schema: z.string(),
  views: z.array(queryViews.shape.data.element.omit({ schema: true })),
});

const { row_count: rowCount, duration_ms: durationMs, ...result } = queryResult.shape;

export const queriesRouteShapes = {
  'GET /api/v1/records/views': {
    meaning: 'The views that a query can name, with their columns.',
    query: environmentQuery,
    response: z.object({ data: z.array(viewGroup) }),
  },
  'POST /api/v1/records/query': {
    meaning: 'Runs one statement that reads.',
    query: environmentQuery,
    body: queryRecordsBody.pick({ sql: true }),
    response: z.object({ ...result, rowCount, durationMs }),
  },
};

export type ViewGroup = z.infer<typeof viewGroup>;
export type QueryAnswerView = z.infer<(typeof queriesRouteShapes)['POST /api/v1/records/query']['response']>;
