import { z } from 'zod';
import {
  commaList,
  dashboardJsonObject,
  environmentQuery,
  groupBy,
  groupedResponse,
  isoTime,
  listQuery,
  listResponse,
  timeZoneName,
} from '../contract/dashboard/dashboard-lists.ts';
import { harDocument } from './har-document.contract.ts';

export const operationState = z.enum(['waiting', 'running', 'success', 'failed', 'timeout', 'cancelled']);
export const messageLevel = z.enum(['debug', 'info', 'warn', 'error']);

export const operationQuery = listQuery(['time', 'duration']).extend({
  /** Only this operation, if there is one: a text that may be an id is looked up without a failing request. */
  id: z.string().max(255).optional(),
  states: commaList(operationState).optional(),
  /** `sync` (the whole group) or `sync:run`. */
  types: commaList(z.string()).optional(),
  integrations: commaList(z.string()).optional(),
  connections: commaList(z.string()).optional(),
  /** Names of functions of every type. */
  syncs: commaList(z.string()).optional(),
  /** `<from>,<to>` in milliseconds since the epoch. Either side may be empty. */
  period: z
    .string()
    .regex(/^\d*,\d*$/)
    .optional(),
  /** Uses the query language of `log-query.ts`. */
  search: z.string().max(1000).optional(),
});

export const logHistogramQuery = operationQuery
  .omit({ id: true, offset: true, limit: true, sort: true, snapshot: true, period: true })
  .extend({
    /** Milliseconds since the epoch. Both ends are included. */
    from: z.coerce.number().int().min(0),
    to: z.coerce.number().int().min(0),
    /** Time zone of the buckets. */
    timeZone: timeZoneName.default('UTC'),
  });

/** Matching operations by time and state. Empty buckets of the period are included. */
export const logHistogram = z.object({
  bucketMs: z.number().int(),
  buckets: z.array(z.object({ at: isoTime, states: z.partialRecord(operationState, z.number().int()) })),
  /** End of the last bucket. When clocks change, a bucket of a day is longer or shorter than `bucketMs`. */
  end: isoTime,
});

/** A request that the provider refused `times` times in a row. */
export const refusalView = z.object({
  method: z.string(),
  /** Without host and query. */
  path: z.string(),
  /** Null when no response arrived. */
  code: z.number().int().nullable(),
  times: z.number().int(),
});

const logError = z.object({
  name: z.string().optional(),
  message: z.string(),
  type: z.string().optional(),
  payload: z.unknown().optional(),
  /** Stack lines of a thrown value, in the author's files. */
  stack: z.array(z.string()).optional(),
  /** The provider's refusal that caused it. */
  refusal: refusalView.optional(),
});

/** A row of the log (ui.md 6.11). */
export const operationRow = z.object({
  id: z.string(),
  operation: z.object({ type: z.string(), action: z.string() }),
  state: operationState,
  /** One sentence. */
  message: z.string(),
  integrationName: z.string().nullable(),
  providerName: z.string().nullable(),
  connectionName: z.string().nullable(),
  /** The end user's display name, else their id. */
  endUserName: z.string().nullable(),
  syncConfigName: z.string().nullable(),
  /** Variant of the sync; null for other operations and for runs of older versions. */
  variant: z.string().nullable(),
  trigger: z.string().nullable(),
  /** First line of the error. */
  error: logError.nullable(),
  createdAt: isoTime,
  startedAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
  durationMs: z.number().nullable(),
  /** Processor time of the function in milliseconds; null when it was not measured. */
  cpuMs: z.number().nullable(),
  /** Heap of its isolate at the end, in bytes; null when it was not measured, for example for very short runs. */
  memoryBytes: z.number().int().nullable(),
  /** Sum of saved, updated and deleted records; it grows during the run. */
  recordsChanged: z.number().int(),
  /** Parts of the sum; null for operations of older versions. */
  recordsAdded: z.number().int().nullable(),
  recordsUpdated: z.number().int().nullable(),
  recordsDeleted: z.number().int().nullable(),
  /** Number of requests to the provider, including retries. */
  httpCalls: z.number().int(),
  /** Name of the key or client that started it. */
  actor: z.string().nullable(),
  /** The agent session that it belongs to. */
  sessionId: z.string().nullable(),
});

export const operationDetail = operationRow.extend({
  /** The integration as it is shown; null when it is gone. */
  integrationTitle: z.string().nullable(),
  meta: dashboardJsonObject.nullable(),
  /** Time at which retention deletes it. */
  expiresAt: isoTime.nullable(),
  /** Lowest level of messages that were recorded. */
  recordedLevel: messageLevel,
});

export const messageQuery = listQuery(['time']).extend({
  operationId: z.string(),
  levels: commaList(messageLevel).optional(),
  types: commaList(z.enum(['log', 'http'])).optional(),
  sources: commaList(z.enum(['internal', 'user'])).optional(),
});

/** Secrets are already redacted. */
export const messageRow = z.object({
  id: z.string(),
  createdAt: isoTime,
  level: messageLevel,
  type: z.enum(['log', 'http']),
  source: z.enum(['internal', 'user']),
  context: z.enum(['script', 'proxy', 'webhook', 'auth']).nullable(),
  message: z.string(),
  durationMs: z.number().nullable(),
  error: logError.nullable(),
  request: z
    .object({ method: z.string(), url: z.string(), headers: z.record(z.string(), z.string()).optional() })
    .nullable(),
  response: z.object({ code: z.number().int(), headers: z.record(z.string(), z.string()).optional() }).nullable(),
  retry: z.object({ attempt: z.number().int(), max: z.number().int(), waitedMs: z.number() }).nullable(),
  meta: dashboardJsonObject.nullable(),
  /** Id of the recorded bodies of the request. They may have been deleted since. */
  recordingId: z.string().nullable(),
  /** Record changes of one call of a function. */
  persistResults: z
    .object({
      model: z.string(),
      added: z.number().int(),
      updated: z.number().int(),
      deleted: z.number().int(),
      unchanged: z.number().int(),
    })
    .nullable(),
});

export const logsRouteShapes = {
  'GET /api/v1/logs/operations': {
    meaning: 'Operations, newest first unless sorted.',
    query: operationQuery.extend({ groupBy: groupBy.optional() }),
    response: groupedResponse(operationRow),
  },
  'GET /api/v1/logs/operations/:operationId': {
    meaning: 'One operation.',
    params: z.object({ operationId: z.string() }),
    query: environmentQuery,
    response: operationDetail,
  },
  'GET /api/v1/logs/histogram': {
    meaning: 'Operations of a filter over a period, by time and state.',
    query: logHistogramQuery,
    response: logHistogram,
  },
  'GET /api/v1/logs/messages': {
    meaning: 'Messages of one operation, oldest first unless sorted.',
    query: messageQuery,
    response: listResponse(messageRow),
  },
  'GET /api/v1/logs/har': {
    meaning: 'Requests to providers by one operation, or by those of a filter, as an HTTP Archive; at most 5000.',
    query: operationQuery
      .omit({ offset: true, limit: true, sort: true, snapshot: true })
      .extend({ operationId: z.string().optional() }),
    response: harDocument,
  },
};

export type ShownOperationState = z.infer<typeof operationState>;
export type ShownMessageLevel = z.infer<typeof messageLevel>;
export type OperationListItem = z.infer<typeof operationRow>;
export type OperationDetailResponse = z.infer<typeof operationDetail>;
export type MessageListItem = z.infer<typeof messageRow>;
