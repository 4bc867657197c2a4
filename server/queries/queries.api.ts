import { empty } from '../contract/fields.ts';
import { untilGone, writePiece } from '../platform/http/long-answer.ts';
import { type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { QUERY_SCOPE, type QueryFormat, queryRecordsBody, queryResult, queryViews } from './queries.contract.ts';
import type { QueriesService } from './queries.service.ts';
import type { QueryAnswer } from './query-process.ts';

export interface QueriesApiDeps {
  queries: QueriesService;
}

const CONTENT_TYPES: Record<QueryFormat, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
};
/** By what the request accepts, when its body names no format. */
const ACCEPTED: Array<[string, QueryFormat]> = [
  ['application/vnd.apache.arrow.stream', 'arrow'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/json', 'json'],
];

/** SQL over records (http-api.md 11.1). */
export function queriesApi({ queries }: QueriesApiDeps): PublicRoute[] {
  return [
    {
      method: 'post',
      path: '/records/query',
      access: 'key',
      scopes: [QUERY_SCOPE],
      limitedKeys: 'filtered',
      handler: query(queries),
      openapi: {
        id: 'queryRecords',
        tag: 'Records',
        summary: 'Query records with SQL',
        details:
          'One statement that reads, in the SQL of DuckDB, over one view for each model: `integration.Model`. `params` fill the placeholders `?`, `$1` or `$name`. The answer is NDJSON, JSON, CSV, an Arrow stream or a Parquet file, by `format` or the Accept header. With `stream` rows come as they are computed, without a limit of their number.',
        query: empty,
        body: queryRecordsBody,
        responses: { 200: queryResult },
        errors: ['query_refused', 'query_failed', 'query_too_large', 'query_engine_unavailable', 'vault_locked'],
        example: {
          body: { sql: 'SELECT state, count(*) AS issues FROM practice.Issue GROUP BY state', format: 'json' },
        },
      },
    },
    {
      method: 'get',
      path: '/records/views',
      access: 'key',
      scopes: [QUERY_SCOPE],
      limitedKeys: 'filtered',
      handler: async ({ allowed, environment, query: parameters, response }) => {
        validateQuery(empty, parameters);
        return ok({ data: await queries.listViews({ environmentId: environment.id, allowed }, untilGone(response)) });
      },
      openapi: {
        id: 'listRecordViews',
        tag: 'Records',
        summary: 'List the views that a query can name',
        query: empty,
        responses: { 200: queryViews },
        errors: ['query_engine_unavailable', 'vault_locked'],
      },
    },
  ];
}

function query(queries: QueriesService): Handler {
  return async ({ allowed, body, environment, http, query: parameters, response }) => {
    validateQuery(empty, parameters);
    const asked = validateBody(queryRecordsBody, body);
    const { sql, params, limit, stream, format = acceptedFormat(http.headers.accept) } = asked;
    if (stream && format === 'json')
      throw new HomeportError('invalid_body', 'JSON has the number of rows first. Stream NDJSON instead.');
    const answer = await queries.query({
      environmentId: environment.id,
      allowed,
      sql,
      params,
      mostRows: stream ? Number.MAX_SAFE_INTEGER : limit,
      isStreamed: stream,
      // JSON is the lines of NDJSON in a list.
      format: format === 'json' ? 'ndjson' : format,
      signal: untilGone(response),
    });
    response.setHeader('Content-Type', CONTENT_TYPES[format]);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Row-Count', answer.rowCount);
    const pieces = format === 'json' ? asJson(answer) : answer.pieces;
    for await (const piece of pieces) {
      if (response.destroyed) break;
      await writePiece(response, piece);
    }
    response.end();
    return undefined;
  };
}

function acceptedFormat(accept: string | undefined): QueryFormat {
  return ACCEPTED.find(([type]) => accept?.includes(type))?.[1] ?? 'ndjson';
}

async function* asJson({ columns, rowCount, durationMs, pieces }: QueryAnswer): AsyncGenerator<string> {
  yield `{"columns":${JSON.stringify(columns)},"row_count":${rowCount},"duration_ms":${durationMs},"rows":[`;
  let separator = '';
  for await (const lines of pieces) {
    if (lines.length === 0) continue;
    yield separator + lines.toString('utf8').trimEnd().replaceAll('\n', ',');
    separator = ',';
  }
  yield ']}';
}
