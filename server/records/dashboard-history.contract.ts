import { z } from 'zod';
import {
  dashboardConnectionParams,
  dashboardIntegrationParams,
  dashboardJsonObject,
  environmentQuery,
  isoTime,
  wholeResponse,
} from '../contract/dashboard/dashboard-lists.ts';
import { recordAction, recordDetailQuery, recordParams } from './dashboard-records.contract.ts';

/** Earlier versions of records. They are kept for a model of an integration after a person switches its history on. */

/** Default limits of a history. */
export const HISTORY_DEFAULTS = { mostVersions: 50, mostDays: 30 };

const mostVersions = z.number().int().min(1).max(1000);
const mostDays = z.number().int().min(1).max(3650);

export const historyStateQuery = recordDetailQuery.omit({ at: true });

export const historyState = z.object({
  /**
   * A sync that declares the model; requests that switch the history name it. Null when no sync declares the model any
   * more.
   */
  sync: z.string().nullable(),
  isOn: z.boolean(),
  mostVersions,
  mostDays,
  /** Records of this connection and variant can be read as of any time since then. Null: not possible. */
  since: isoTime.nullable(),
  /** Times at which records changed: the end of each run, oldest first. The newest 100. */
  moments: z.array(isoTime),
  /** Number of versions that are kept in addition to the records, and the bytes of their contents. */
  versions: z.number().int(),
  bytes: z.number().int(),
});

export const updateHistoryBody = z.strictObject({
  model: z.string(),
  isOn: z.boolean(),
  mostVersions: mostVersions.optional(),
  mostDays: mostDays.optional(),
});

export const updatedHistory = historyState.pick({ isOn: true, mostVersions: true, mostDays: true });

export const recordVersion = z.object({
  /** Time of the version; it also identifies the version. */
  at: isoTime,
  action: recordAction,
  /** The run that made the version; null when no run did, or when the run is older than the history. */
  operationId: z.string().nullable(),
  isPruned: z.boolean(),
});

export const recordDiffQuery = environmentQuery.extend({
  model: z.string(),
  variant: z.string().default('base'),
  from: isoTime,
  to: isoTime,
});

const recordChange = z.object({
  /** JSON Pointer (RFC 6901). */
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed']),
  from: z.unknown().optional(),
  to: z.unknown().optional(),
});

export const recordDiff = z.object({
  /** Null when the version was pruned; there are no changes then. */
  from: dashboardJsonObject.nullable(),
  to: dashboardJsonObject.nullable(),
  changes: z.array(recordChange),
});

export const historyRouteShapes = {
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/versions': {
    meaning: 'Versions of one record, newest first; the newest is the record itself.',
    params: recordParams,
    query: historyStateQuery,
    response: wholeResponse(recordVersion),
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/diff': {
    meaning: 'The changes between two versions, each named by its time.',
    params: recordParams,
    query: recordDiffQuery,
    response: recordDiff,
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/history': {
    meaning: 'Whether the history of a model is kept, since when, and its size.',
    params: dashboardConnectionParams,
    query: historyStateQuery,
    response: historyState,
  },
  'PUT /api/v1/functions/:integrationKey/sync/:name/history': {
    meaning: 'Keeps the history of a model of this sync, or removes it; for all connections of the integration.',
    params: dashboardIntegrationParams.extend({ name: z.string() }),
    query: environmentQuery,
    body: updateHistoryBody,
    response: updatedHistory,
  },
};

export type HistoryState = z.infer<typeof historyState>;
export type UpdateHistoryBody = z.infer<typeof updateHistoryBody>;
export type RecordVersionRow = z.infer<typeof recordVersion>;
export type RecordVersionChange = z.infer<typeof recordChange>;
export type RecordDiffResponse = z.infer<typeof recordDiff>;
