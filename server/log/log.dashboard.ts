import type { z } from 'zod';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { readSnapshot, readSort, viewCount } from '../dashboard/api/list-page.ts';
import type { Integration } from '../integrations/integration.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import type {
  MessageListItem,
  OperationDetailResponse,
  OperationListItem,
  operationQuery,
  ShownMessageLevel,
} from './dashboard-logs.contract.ts';
import type { MessagesQuery, OperationsQuery } from './log-queries.ts';
import type { LoggedMessage, LoggedOperation, LoggedOperationDetail } from './logged-entries.ts';

type Use = Pick<DashboardParts, 'catalog' | 'connections' | 'environments' | 'integrations' | 'logs'>;
type Keys =
  | 'GET /api/v1/logs/operations'
  | 'GET /api/v1/logs/operations/:operationId'
  | 'GET /api/v1/logs/histogram'
  | 'GET /api/v1/logs/messages';

export function logRoutes(use: Use): DashboardHandlers<Keys> {
  const { logs } = use;
  return {
    'GET /api/v1/logs/operations': listOperations(use),
    'GET /api/v1/logs/operations/:operationId': async ({ environment, params }) => {
      const operation = await logs.findOperation(environment.id, params.operationId);
      if (!operation) throw unknownOperation();
      const { integrationName } = operation;
      const integration =
        integrationName === null ? undefined : await use.integrations.find(environment.id, integrationName);
      const own = integration && (await findOwnLevel(use, integration, operation));
      const level = own ?? (await use.environments.functionLogLevel(environment.id));
      // At `off` no message of a function is recorded; errors of the hub itself are.
      const recordedLevel: ShownMessageLevel = level === 'off' ? 'error' : level;
      return viewOperationDetail(operation, {
        retentionDays: environment.settings.logRetentionDays,
        recordedLevel,
        integrationTitle:
          integration?.displayName ?? (integration && use.catalog.find(integration.provider)?.display_name) ?? null,
      });
    },

    'GET /api/v1/logs/histogram': async ({ environment, query }) => {
      const { from, to, timeZone, search, ...chosen } = query;
      if (to < from) throw new HomeportError('invalid_query_params', 'The period ends before it begins.');
      const bucketMs = chartBucketMs(to - from);
      const { buckets, end } = await logs.getHistogram({
        ...filterOf(environment.id, chosen),
        ...{ search, from, to, bucketMs, timeZone },
      });
      return { bucketMs, buckets: buckets.map(({ at, states }) => ({ at: isoDate(at), states })), end: isoDate(end) };
    },
    'GET /api/v1/logs/messages': listMessages(use),
  };
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const BUCKETS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
];
/** The largest number of bars that a person can tell apart over the width of the list. */
const MAX_BARS = 120;

/** A round interval that gives at most 120 bars; whole days for long periods. */
function chartBucketMs(periodMs: number): number {
  const fitting = BUCKETS_MS.find((sizeMs) => periodMs / sizeMs <= MAX_BARS);
  return fitting ?? Math.ceil(periodMs / MAX_BARS / DAY_MS) * DAY_MS;
}

type Chosen = Pick<z.output<typeof operationQuery>, 'states' | 'types' | 'integrations' | 'connections' | 'syncs'>;

function filterOf(environmentId: number, { states, types, integrations, connections, syncs }: Chosen): OperationsQuery {
  return { environmentId, states, types, integrations, connections, functions: syncs };
}

/** Translates the filter of an address. Times are in milliseconds; an open side is undefined. */
export function operationsQueryOf(
  environmentId: number,
  { period, search, ...chosen }: Chosen & Pick<z.output<typeof operationQuery>, 'period' | 'search'>,
): OperationsQuery {
  const [from, to] = (period ?? ',').split(',').map((side) => (side === '' ? undefined : Number(side)));
  return { ...filterOf(environmentId, chosen), from, to, search };
}

function listOperations(use: Use): DashboardHandler<'GET /api/v1/logs/operations'> {
  return async ({ environment, query }) => {
    const { sort, offset, limit, snapshot, id, groupBy, count, ...filter } = query;
    const { key, direction } = readSort(sort ?? '-time');
    const found = await use.logs.listOperations({
      ...operationsQueryOf(environment.id, filter),
      id,
      ...{ offset, limit, isExactCount: count === 'exact' },
      sort: key === 'duration' ? 'duration' : 'time',
      direction,
      groupBy,
      snapshot: readSnapshot(snapshot),
    });
    const integrations = groupBy === 'integration' ? await use.integrations.list(environment.id) : [];
    const known = new Map(integrations.map((one) => [one.uniqueKey, one]));
    const groups = found.groups?.map(({ value, label: ownLabel, count }) => {
      const one = known.get(value);
      const label = one && (one.displayName ?? use.catalog.find(one.provider)?.display_name);
      return { value, count, label: ownLabel ?? label ?? null, provider: one?.provider ?? null };
    });
    return {
      data: found.operations.map(viewOperation),
      ...viewCount(found),
      snapshot: String(found.snapshot),
      ...(groups && { groups }),
    };
  };
}

function listMessages(use: Use): DashboardHandler<'GET /api/v1/logs/messages'> {
  return async ({ environment, query }) => {
    const filter: MessagesQuery = {
      environmentId: environment.id,
      operationId: query.operationId,
      levels: query.levels,
      // Both values selected means no filter.
      source: query.sources?.length === 1 ? query.sources[0] : undefined,
      type: query.types?.length === 1 ? query.types[0] : undefined,
      search: query.search,
      snapshot: readSnapshot(query.snapshot),
    };
    const isNewestFirst = readSort(query.sort ?? 'time').direction === 'desc';
    const found = await (isNewestFirst
      ? readBackwards(use.logs, filter, query)
      : use.logs.listMessages({
          ...filter,
          offset: query.offset,
          limit: query.limit,
          isExactCount: query.count === 'exact',
        }));
    if (!found) throw unknownOperation();
    return { data: found.messages.map(viewMessage), ...viewCount(found), snapshot: String(found.snapshot) };
  };
}

/** The log is stored oldest first. A page from the end is the mirrored range in reverse order. */
async function readBackwards(
  logs: Use['logs'],
  filter: MessagesQuery,
  page: { offset: number; limit: number },
): ReturnType<Use['logs']['listMessages']> {
  const counted = await logs.listMessages({ ...filter, offset: 0, limit: 0, isExactCount: true });
  if (!counted) return undefined;
  const end = Math.max(counted.total - page.offset, 0);
  const offset = Math.max(end - page.limit, 0);
  const found = await logs.listMessages({ ...filter, snapshot: counted.snapshot, offset, limit: end - offset });
  return found && { messages: found.messages.reverse(), total: counted.total, snapshot: counted.snapshot };
}

/** The log level set for the operation's connection, as it is now. */
async function findOwnLevel({ connections }: Use, integration: Integration, { connectionName }: LoggedOperation) {
  if (connectionName === null) return undefined;
  return (await connections.find(integration, connectionName))?.logLevel;
}

export function unknownOperation(): HomeportError {
  return new HomeportError('not_found', 'There is no such operation. Old ones are removed after the retention time.');
}

export function viewOperation(row: LoggedOperation): OperationListItem {
  return {
    id: row.id,
    operation: row.operation,
    state: row.state,
    message: row.message ?? `${row.operation.type} ${row.operation.action}`.replaceAll('_', ' '),
    integrationName: row.integrationName,
    providerName: row.providerName,
    connectionName: row.connectionName,
    endUserName: row.endUserName ?? row.endUserId,
    syncConfigName: row.syncConfigName,
    variant: row.variant,
    trigger: row.trigger,
    sessionId: row.sessionId,
    error: row.error,
    createdAt: isoDate(row.createdAt),
    startedAt: isoDateOrNull(row.startedAt),
    endedAt: isoDateOrNull(row.endedAt),
    durationMs: row.durationMs,
    cpuMs: row.cpuMs,
    memoryBytes: row.memoryBytes,
    recordsChanged: row.recordsChanged,
    recordsAdded: row.recordsAdded,
    recordsUpdated: row.recordsUpdated,
    recordsDeleted: row.recordsDeleted,
    httpCalls: row.httpCalls,
    actor: row.actor,
  };
}

function viewOperationDetail(
  row: LoggedOperationDetail,
  settings: { retentionDays: number | null } & Pick<OperationDetailResponse, 'recordedLevel' | 'integrationTitle'>,
): OperationDetailResponse {
  const { integrationTitle, recordedLevel, retentionDays } = settings;
  const expiresAt = row.expiresAt ?? (retentionDays === null ? null : row.createdAt + retentionDays * DAY_MS);
  const meta = { ...objectOrNull(row.meta), ...named('request', row.request), ...named('response', row.response) };
  return {
    ...viewOperation(row),
    integrationTitle,
    meta: Object.keys(meta).length > 0 ? meta : null,
    expiresAt: isoDateOrNull(expiresAt),
    recordedLevel,
  };
}

/** The log wrote request, response and retry in these shapes. */
export function viewMessage(row: LoggedMessage): MessageListItem {
  return {
    id: String(row.id),
    createdAt: isoDate(row.createdAt),
    level: row.level,
    type: row.type,
    source: row.source,
    context: row.context as MessageListItem['context'],
    message: row.message,
    durationMs: row.durationMs,
    error: row.error,
    request: row.request as MessageListItem['request'],
    response: row.response as MessageListItem['response'],
    retry: row.retry as MessageListItem['retry'],
    meta: objectOrNull(row.meta),
    recordingId: row.recordingId,
    persistResults: row.persistResults as MessageListItem['persistResults'],
  };
}

function objectOrNull(value: unknown): Record<string, unknown> | null {
  return isJsonObject(value) ? value : null;
}

function named(name: string, value: unknown): Record<string, unknown> {
  return value === null || value === undefined ? {} : { [name]: value };
}
