import type { RecordDetail } from '../../../contract/dashboard/dashboard-records.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardCall, DashboardHandler, DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { takePage } from '../../dashboard/list-page.ts';
import { findConnection } from '../../resolve-connection.ts';
import { PastRecords } from './past-records.ts';
import { RecordIndexes, type RecordStream } from './record-index.ts';
import { viewRecord, viewRecordDetail } from './record-view.ts';

const LIST = 'GET /api/v1/connections/:integrationKey/:connectionId/records';

type Use = Pick<DashboardParts, 'integrations' | 'connections' | 'records' | 'clock'>;
type Keys =
  | 'GET /api/v1/connections/:integrationKey/:connectionId/models'
  | 'GET /api/v1/connections/:integrationKey/:connectionId/records'
  | 'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId';

export function recordRoutes(use: Use, lists: RecordLists): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/connections/:integrationKey/:connectionId/models': async ({ environment, params }) => {
      const { connection } = await findConnection(use, environment, params);
      const models = await use.records.listModels(connection.id);
      return { data: models.map(({ liveCount, ...model }) => ({ ...model, count: liveCount })) };
    },

    [LIST]: lists.page,
    'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId': async ({
      environment,
      params,
      query,
    }) => {
      const { connection } = await findConnection(use, environment, params);
      const { model, variant, at } = query;
      const stream = { connectionRowId: connection.id, model, variant };
      const [record] = await readByIds(use, stream, [params.recordId], at);
      if (!record)
        throw new HomeportError('not_found', `There is no record "${params.recordId}" of the model "${model}".`);
      return viewRecordDetail(record.id, record.json);
    },
  };
}

interface RecordLists {
  page: DashboardHandler<typeof LIST>;
  /** Records with their payloads, for an export; else like `page`. */
  whole: (call: DashboardCall<typeof LIST>) => Promise<{ data: RecordDetail[]; total: number; snapshot: string }>;
}

export function recordLists(use: Use): RecordLists {
  const indexes = new RecordIndexes(use.records);
  const past = new PastRecords(use.records.history);
  return {
    page: listRecords(use, { indexes, past }, viewRecord),
    whole: listRecords(use, { indexes, past }, viewRecordDetail),
  };
}

function listRecords<Row>(
  use: Use,
  { indexes, past }: { indexes: RecordIndexes; past: PastRecords },
  view: (id: string, json: string) => Row,
) {
  return async ({ environment, params, query }: DashboardCall<typeof LIST>) => {
    const { connection } = await findConnection(use, environment, params);
    const { model, variant, actions, search, snapshot, at } = query;
    const stream = { connectionRowId: connection.id, model, variant };
    if (at !== undefined) checkPast(at, use.clock.now());
    const index =
      at === undefined
        ? { ...(await indexes.list(stream, { actions, search, snapshot: snapshot || undefined })), lost: 0 }
        : await past.list(stream, at, { actions, search });
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
    const byId = new Map((await readByIds(use, stream, ids, at)).map((record) => [record.id, record.json]));
    const data = ids.flatMap((id) => {
      const json = byId.get(id);
      return json === undefined ? [] : [view(id, json)];
    });
    return { data, total: page.total, snapshot: index.snapshot, lost: index.lost };
  };
}

/** As they are, or as they were; without those that were not there or whose version of then is not kept. */
async function readByIds(
  { records }: Use,
  stream: RecordStream,
  ids: string[],
  at: string | undefined,
): Promise<Array<{ id: string; json: string }>> {
  if (ids.length === 0) return [];
  const page = { ids, limit: ids.length };
  if (at === undefined) return (await records.list({ ...stream, ...page })).records;
  const found = (await records.history.asOf(stream, at, page)).records;
  return found.flatMap(({ id, json }) => (json === null ? [] : [{ id, json }]));
}

/** What was read of a moment is remembered, so the moment has to be over. */
function checkPast(at: string, now: number): void {
  if (Date.parse(at) > now) throw new HomeportError('invalid_query_params', 'The moment has not come yet.');
}
