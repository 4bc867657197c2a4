import { z } from 'zod';
import {
  commaList,
  dashboardJsonObject,
  environmentQuery,
  isoTime,
  listQuery,
  listResponse,
  timeZoneName,
} from './dashboard-lists.ts';
import { harDocument } from './har-document.ts';

export const operationState = z.enum(['waiting', 'running', 'success', 'failed', 'timeout', 'cancelled']);
export const messageLevel = z.enum(['debug', 'info', 'warn', 'error']);

export const operationQuery = listQuery(['time', 'duration']).extend({
  states: commaList(operationState).optional(),
  /** `sync` (the whole group) or `sync:run`. */
  types: commaList(z.string()).optional(),
  integrations: commaList(z.string()).optional(),
  connections: commaList(z.string()).optional(),
  /** Names of functions of any type. */
  syncs: commaList(z.string()).optional(),
  /** `<from>,<to>` in milliseconds since the epoch; either side may be empty. */
  period: z
    .string()
    .regex(/^\d*,\d*$/)
    .optional(),
  /** The query language of `log-query.ts`. */
  search: z.string().max(1000).optional(),
});

export const logHistogramQuery = operationQuery
  .omit({ offset: true, limit: true, sort: true, snapshot: true, period: true })
  .extend({
    /** Milliseconds since the epoch, both ends included. */
    from: z.coerce.number().int().min(0),
    to: z.coerce.number().int().min(0),
    /** Whose days, and hours of the day, the buckets follow. */
    timeZone: timeZoneName.default('UTC'),
  });

/** Operations of the filter by time and state; every bucket of the period, the empty ones too. */
export const logHistogram = z.object({
  bucketMs: z.number().int(),
  buckets: z.array(z.object({ at: isoTime, states: z.partialRecord(operationState, z.number().int()) })),
  /** When the last one ends; where clocks change, a day is longer or shorter than `bucketMs`. */
  end: isoTime,
});

const logError = z.object({
  name: z.string().optional(),
  message: z.string(),
  type: z.string().optional(),
  payload: z.unknown().optional(),
  /** Of what a function threw: lines in the files of its author. */
  stack: z.array(z.string()).optional(),
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
  endUserName: z.string().nullable(),
  syncConfigName: z.string().nullable(),
  /** Of the sync; null for what is no run of one, and for runs of before it was kept. */
  variant: z.string().nullable(),
  trigger: z.string().nullable(),
  /** First line of the failure. */
  error: logError.nullable(),
  createdAt: isoTime,
  startedAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
  durationMs: z.number().nullable(),
  /** Processor time of the function; null when it was not measured. */
  cpuMs: z.number().nullable(),
  /** Heap of its isolate at the end; null when it was not measured, as of runs that were over at once. */
  memoryBytes: z.number().int().nullable(),
  /** Saved, updated and deleted; grows while it runs. */
  recordsChanged: z.number().int(),
  /** Parts of it; null for operations of before they were kept. */
  recordsAdded: z.number().int().nullable(),
  recordsUpdated: z.number().int().nullable(),
  recordsDeleted: z.number().int().nullable(),
  /** Requests to the provider, each attempt counted. */
  httpCalls: z.number().int(),
  /** Name of the key or client that asked. */
  actor: z.string().nullable(),
});

export const operationDetail = operationRow.extend({
  meta: dashboardJsonObject.nullable(),
  /** When retention deletes it. */
  expiresAt: isoTime.nullable(),
  /** Messages below the level are not recorded. */
  recordedLevel: messageLevel,
});

export const messageQuery = listQuery(['time']).extend({
  operationId: z.string(),
  levels: commaList(messageLevel).optional(),
  types: commaList(z.enum(['log', 'http'])).optional(),
  sources: commaList(z.enum(['internal', 'user'])).optional(),
});

/** Already redacted. */
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
  /** Of the request's bodies when they were recorded; they may be gone by now. */
  recordingId: z.string().nullable(),
  /** What one call of a function changed in its records. */
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
    query: operationQuery,
    response: listResponse(operationRow),
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
export type OperationDetailAnswer = z.infer<typeof operationDetail>;
export type MessageListItem = z.infer<typeof messageRow>;
