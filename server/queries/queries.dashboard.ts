import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { untilGone } from '../platform/http/long-answer.ts';
import { SHOWN_QUERY_ROWS } from './dashboard-queries.contract.ts';

type Use = Pick<DashboardParts, 'queries'>;

export function queriesRoutes({
  queries,
}: Use): DashboardHandlers<'GET /api/v1/records/views' | 'POST /api/v1/records/query'> {
  return {
    'GET /api/v1/records/views': async ({ environment, response }) => {
      const views = await queries.listViews({ environmentId: environment.id, allowed: null }, untilGone(response));
      const groups = Map.groupBy(views, ({ schema }) => schema);
      return {
        data: [...groups].map(([schema, ofSchema]) => ({
          schema,
          views: ofSchema.map(({ columns, name }) => ({ name, columns })),
        })),
      };
    },

    'POST /api/v1/records/query': async ({ body, environment, response }) => {
      const { columns, rowCount, durationMs, pieces } = await queries.query({
        environmentId: environment.id,
        allowed: null,
        sql: body.sql,
        params: [],
        format: 'ndjson',
        mostRows: SHOWN_QUERY_ROWS,
        signal: untilGone(response),
      });
      const texts: Buffer[] = [];
      for await (const piece of pieces) texts.push(piece);
      const lines = Buffer.concat(texts).toString('utf8').split('\n');
      return {
        columns,
        rowCount,
        durationMs,
        rows: lines.filter((line) => line !== '').map((line) => JSON.parse(line)),
      };
    },
  };
}
