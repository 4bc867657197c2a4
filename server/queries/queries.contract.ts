import { z } from 'zod';
import { instant } from '../contract/response-fields.ts';
import { HUB_SCHEMA } from './sql-text.contract.ts';

/** `POST /records/query` and `GET /records/views` (http-api.md 11.1). */

/** Most rows of one answer, unless the request says another number. */
export const DEFAULT_QUERY_ROWS = 100_000;
export const MOST_QUERY_ROWS = 1_000_000;

export const QUERY_SCOPE = 'environment:records:query';

export const queryFormat = z.enum(['ndjson', 'json', 'csv', 'arrow', 'parquet']);
export type QueryFormat = z.infer<typeof queryFormat>;

const queryValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const queryRecordsBody = z.strictObject({
  sql: z.string().min(1).max(100_000),
  params: z.union([z.array(queryValue).max(1000), z.record(z.string().min(1).max(255), queryValue)]).default([]),
  format: queryFormat.optional(),
  limit: z.number().int().min(1).max(MOST_QUERY_ROWS).default(DEFAULT_QUERY_ROWS),
  /** Rows come as they are computed, without a limit of their number; not as JSON. */
  stream: z.boolean().default(false),
});

export type QueryValue = z.infer<typeof queryValue>;
export type QueryParams = z.infer<typeof queryRecordsBody>['params'];

/** Types are those of DuckDB, for example `BIGINT` or `TIMESTAMP WITH TIME ZONE`. */
const queryColumn = z.object({ name: z.string(), type: z.string() });
export type QueryColumn = z.infer<typeof queryColumn>;
const queryView = z.object({ schema: z.string(), name: z.string(), columns: z.array(queryColumn) });
export type QueryView = z.infer<typeof queryView>;

/** Without those of the hub itself; those of kept versions only when they are asked for. */
export const viewsOfRecords = <View extends QueryView>(views: readonly View[], hasHistory: boolean): View[] =>
  views.filter(
    ({ columns, schema }) => schema !== HUB_SCHEMA && (hasHistory || !columns.some(({ name }) => name === 'valid_to')),
  );

export const queryResult = z.object({
  columns: z.array(queryColumn),
  rows: z.array(z.record(z.string(), z.unknown())),
  row_count: z.number().int(),
  /** Of the statement, without loading records. */
  duration_ms: z.number().int(),
});

export const queryViews = z.object({
  data: z.array(queryView),
});

const savedQueryName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}]*$/u, 'A name has one line.');

export const savedQueryParams = z.object({ name: savedQueryName });

export const savedQueryBody = z.strictObject({
  sql: queryRecordsBody.shape.sql,
  params: queryRecordsBody.shape.params,
});

/** A statement that is kept under a name, with the values of its placeholders. */
const savedQuery = z.object({
  id: z.string(),
  name: savedQueryName,
  sql: z.string(),
  params: z.union([z.array(queryValue), z.record(z.string(), queryValue)]),
  created_at: instant,
  updated_at: instant,
});
export type SavedQueryView = z.infer<typeof savedQuery>;

export const savedQueryResponse = z.object({ data: savedQuery });
export const savedQueriesResponse = z.object({ data: z.array(savedQuery) });

export const savedQueryChange = z.object({
  name: savedQueryName.optional(),
  sql: queryRecordsBody.shape.sql.optional(),
  params: queryRecordsBody.shape.params.removeDefault().optional(),
});
