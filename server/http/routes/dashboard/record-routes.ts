import { HomeportError } from '../../../lib/homeport-error.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { findConnection } from '../../dashboard/find-connection.ts';
import { takePage } from '../../dashboard/list-page.ts';
import { RecordIndexes } from '../../dashboard/record-index.ts';
import { viewRecord, viewRecordDetail } from '../../dashboard/record-view.ts';

type Use = Pick<DashboardParts, 'integrations' | 'connections' | 'records'>;
type Keys =
  | 'GET /api/v1/connections/:integrationKey/:connectionId/models'
  | 'GET /api/v1/connections/:integrationKey/:connectionId/records'
  | 'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId';

export function recordRoutes(use: Use): DashboardHandlers<Keys> {
  const { records } = use;
  return {
    'GET /api/v1/connections/:integrationKey/:connectionId/models': async ({ environment, params }) => {
      const { connection } = await findConnection(use, environment, params);
      const counts = (await records.countByModel([connection.id])).get(connection.id) ?? {};
      const data = Object.entries(counts).map(([name, count]) => {
        const [model = '', variant = 'base'] = name.split('::');
        return { model, variant, count, lastModifiedAt: null };
      });
      return { data };
    },

    'GET /api/v1/connections/:integrationKey/:connectionId/records': listPage(use),
    'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId': async ({
      environment,
      params,
      query,
    }) => {
      const { connection } = await findConnection(use, environment, params);
      const { model, variant } = query;
      const page = await records.list({
        connectionRowId: connection.id,
        model,
        variant,
        ids: [params.recordId],
        limit: 1,
      });
      const [record] = page.records;
      if (!record)
        throw new HomeportError('not_found', `There is no record "${params.recordId}" of the model "${model}".`);
      return viewRecordDetail(record.id, record.json);
    },
  };
}

function listPage(use: Use): DashboardHandler<'GET /api/v1/connections/:integrationKey/:connectionId/records'> {
  const { records } = use;
  const indexes = new RecordIndexes(records);
  return async ({ environment, params, query }) => {
    const { connection } = await findConnection(use, environment, params);
    const { model, variant, actions, search, snapshot } = query;
    const stream = { connectionRowId: connection.id, model, variant };
    const index = await indexes.list(stream, { actions, search, snapshot: snapshot || undefined });
    const page = takePage(
      index.records.map((record, place) => ({ ...record, place })),
      {
        query: { offset: query.offset, limit: query.limit, sort: query.sort },
        defaultSort: '-modified',
        rowId: ({ place }) => place,
        texts: () => [],
        value: ({ id, metadata, place }, key) =>
          key === 'modified' ? place : key === 'id' ? id : metadata.last_action,
      },
    );
    const ids = page.rows.map(({ id }) => id);
    const found = ids.length === 0 ? [] : (await records.list({ ...stream, ids, limit: ids.length })).records;
    const byId = new Map(found.map((record) => [record.id, record.json]));
    const data = ids.flatMap((id) => {
      const json = byId.get(id);
      return json === undefined ? [] : [viewRecord(id, json)];
    });
    return { data, total: page.total, snapshot: index.snapshot };
  };
}
