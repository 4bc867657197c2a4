import { z } from 'zod';
import { queryRecordsBody } from '../queries/queries.contract.ts';

/** Most rows that an agent gets of one statement. */
const MOST_SHOWN_ROWS = 1000;

/** Input of the tool `homeport_query_records` (agents.md 4). */
export const queryRecordsInput = z.strictObject({
  sql: queryRecordsBody.shape.sql
    .optional()
    .describe(
      'One SELECT in the SQL of DuckDB, over the views. Without it the answer lists the views and their columns',
    ),
  params: queryRecordsBody.shape.params.describe('Values of the placeholders: a list for ?, an object for $name'),
  limit: z.number().int().min(1).max(MOST_SHOWN_ROWS).default(100).describe('Rows to return at most'),
});
