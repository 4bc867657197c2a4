import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { untilGone } from '../platform/http/long-answer.ts';
import { isoDate } from '../platform/lib/dates.ts';
import { SHOWN_QUERY_ROWS, type ShownQuery } from './dashboard-queries.contract.ts';
import type { SavedQuery } from './saved-queries.service.ts';

type Use = Pick<DashboardParts, 'queries' | 'savedQueries'>;

type Keys =
  | 'GET /api/v1/record-views'
  | 'POST /api/v1/records/query'
  | 'GET /api/v1/saved-queries'
  | 'POST /api/v1/saved-queries'
  | 'PATCH /api/v1/saved-queries/:queryId'
  | 'DELETE /api/v1/saved-queries/:queryId';

export function queriesRoutes({ queries, savedQueries }: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/record-views': async ({ environment, response }) => {
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
        params: body.params,
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

    'GET /api/v1/saved-queries': async ({ environment }) => ({
      data: (await savedQueries.list(environment.id)).map(viewSaved),
    }),

    'POST /api/v1/saved-queries': async ({ body, environment }) =>
      viewSaved(await savedQueries.create(environment.id, body)),

    'PATCH /api/v1/saved-queries/:queryId': async ({ body: { name, sql, params: values }, environment, params }) =>
      viewSaved(
        await savedQueries.update(environment.id, params.queryId, {
          ...(name === undefined ? {} : { name }),
          ...(sql === undefined ? {} : { sql }),
          ...(values === undefined ? {} : { params: values }),
        }),
      ),

    'DELETE /api/v1/saved-queries/:queryId': async ({ environment, params }) => {
      await savedQueries.remove(environment.id, params.queryId);
      return { success: true } as const;
    },
  };
}

function viewSaved({ createdAt, updatedAt, ...saved }: SavedQuery): ShownQuery {
  return { ...saved, createdAt: isoDate(createdAt), updatedAt: isoDate(updatedAt) };
}
