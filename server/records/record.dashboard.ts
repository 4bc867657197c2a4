import { findConnection } from '../connections/resolve-connection.api.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardCall, DashboardHandler, DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { readSort } from '../dashboard/api/list-page.ts';
import type { DeployedFunction } from '../functions/deployments/deployed-function.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import { modelSchema } from '../platform/lib/model-schema.ts';
import type { ModelRow, RecordDetail } from './dashboard-records.contract.ts';
import { createPastRecords, type PastRecords } from './past-records.dashboard.ts';
import { createRecordIndexes, type RecordIndexes, type RecordStream } from './record-index.dashboard.ts';
import { viewRecord, viewRecordDetail } from './record-view.dashboard.ts';

const LIST = 'GET /api/v1/connections/:integrationKey/:connectionId/records';

/** Ids like `1` are in many models; nobody reads a longer list of them. */
const MAX_PLACES = 20;

type Use = Pick<DashboardParts, 'integrations' | 'connections' | 'deployments' | 'records' | 'clock'>;
type Keys =
  | 'GET /api/v1/connections/:integrationKey/:connectionId/models'
  | 'GET /api/v1/connections/:integrationKey/:connectionId/records'
  | 'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId'
  | 'GET /api/v1/records/:recordId';

export function recordRoutes(use: Use, lists: RecordLists): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/connections/:integrationKey/:connectionId/models': async ({ environment, params }) => {
      const { connection } = await findConnection(use, environment, params);
      const [models, functions] = await Promise.all([
        use.records.listModels(connection.id),
        use.deployments.list(environment.id, params.integrationKey),
      ]);
      const fieldsOf = (model: string) => fieldsOfModel(functions, model);
      return {
        data: models.map(({ liveCount, ...one }) => ({ ...one, count: liveCount, fields: fieldsOf(one.model) })),
      };
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
    'GET /api/v1/records/:recordId': async ({ environment, params }) => ({
      data: await use.records.findPlaces(environment.id, params.recordId, MAX_PLACES),
    }),
  };
}

interface RecordLists {
  page: DashboardHandler<typeof LIST>;
  /** Like `page`, but with payloads, for an export. */
  whole: (call: DashboardCall<typeof LIST>) => Promise<{ data: RecordDetail[]; total: number; snapshot: string }>;
}

export function recordLists(use: Use): RecordLists {
  const indexes = createRecordIndexes(use.records);
  const past = createPastRecords(use.records.history);
  return {
    page: listRecords(use, { indexes, past }, viewRecord),
    whole: listRecords(use, { indexes, past }, viewRecordDetail),
  };
}

function listRecords<Row>(
  use: Use,
  { indexes, past }: { indexes: RecordIndexes; past: PastRecords },
  view: (id: string, json: string, fields: readonly string[] | undefined) => Row,
) {
  return async ({ environment, params, query, response }: DashboardCall<typeof LIST>) => {
    const { connection } = await findConnection(use, environment, params);
    const { model, variant, actions, search, at, period, fields, offset, limit } = query;
    const stream = { connectionRowId: connection.id, model, variant };
    const [modifiedFrom, modifiedTo] = (period ?? ',')
      .split(',')
      .map((side) => (side === '' ? undefined : Number(side)));
    const { key, direction } = readSort(query.sort ?? '-modified');
    const order = { by: key as 'modified' | 'id' | 'action', direction };
    const filter = { actions, search, modifiedFrom, modifiedTo };
    const left = new AbortController();
    const leave = (): void => left.abort();
    response.once('close', leave);
    if (at !== undefined) checkPast(at, use.clock.now());
    const snapshot = query.snapshot || undefined;
    const { ids, ...list } =
      at === undefined
        ? { ...(await indexes.list(stream, { ...filter, ...order, snapshot }, left.signal)), lost: 0 }
        : await past.list(stream, at, { ...filter, ...order });
    response.off('close', leave);
    const shown = ids.slice(offset, offset + limit);
    const byId = new Map((await readByIds(use, stream, shown, at)).map((record) => [record.id, record.json]));
    const data = shown.flatMap((id) => {
      const json = byId.get(id);
      return json === undefined ? [] : [view(id, json, fields)];
    });
    return { data, total: ids.length, ...list };
  };
}

/** The members of a model from the schema of the sync that declares it; empty when no sync does. */
function fieldsOfModel(functions: readonly DeployedFunction[], model: string): ModelRow['fields'] {
  for (const { definition } of functions) {
    if (definition?.type !== 'sync' || !definition.output.includes(model)) continue;
    const properties = modelSchema(definition.json_schema.definitions, model)?.['properties'];
    if (!isJsonObject(properties)) continue;
    return Object.entries(properties).flatMap(([name, schema]) =>
      name === 'id' || name === '_nango_metadata' ? [] : [{ name, type: typeOfSchema(schema) }],
    );
  }
  return [];
}

const SCALARS = ['string', 'number', 'integer', 'boolean'];

function typeOfSchema(schema: unknown): ModelRow['fields'][number]['type'] {
  if (!isJsonObject(schema)) return 'other';
  const { type, anyOf, enum: values } = schema;
  const named = [type, ...(Array.isArray(anyOf) ? anyOf.map((one) => isJsonObject(one) && one['type']) : [])].flat();
  const found = named.find((one) => SCALARS.includes(String(one)));
  if (found === 'integer' || found === 'number') return 'number';
  if (found === 'string' || found === 'boolean') return found;
  return Array.isArray(values) ? 'string' : 'other';
}

/**
 * Reads records as they are, or as they were. Records that did not exist, or whose old version is not kept, are left
 * out.
 */
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

/** A list of a past time is cached, so that time has to be over. */
function checkPast(at: string, now: number): void {
  if (Date.parse(at) > now) throw new HomeportError('invalid_query_params', 'This time is in the future.');
}
