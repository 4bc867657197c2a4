import { z } from 'zod';
import {
  dashboardConnectionParams,
  dashboardJsonObject,
  environmentQuery,
  isoTime,
  wholeResponse,
} from '../contract/dashboard/dashboard-lists.ts';
import { changedSyncs, deletionQuery, deletionResponse, wantsChanged } from '../data/dashboard-undo.contract.ts';
import { refusalView } from '../log/dashboard-logs.contract.ts';

export const variantName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]+$/, 'Use letters, digits, _ and -.')
  .max(255);

export const syncQuery = environmentQuery.extend({ integration: z.string(), connection: z.string() });

export const syncRow = z.object({
  name: z.string(),
  variant: z.string(),
  models: z.array(z.string()),
  /** As in `GET /sync/status`, where a cancelled last run is an error. */
  status: z.enum(['RUNNING', 'PAUSED', 'STOPPED', 'SUCCESS', 'ERROR', 'CANCELLED']),
  scheduleStatus: z.enum(['STARTED', 'PAUSED', 'STOPPED']),
  /** As the author wrote it ("every hour"). */
  frequency: z.string().nullable(),
  /** Whether the connection overrides the function's frequency. */
  hasOwnFrequency: z.boolean(),
  /** Null before the first run. */
  lastRun: z
    .object({
      operationId: z.string(),
      startedAt: isoTime,
      finishedAt: isoTime.nullable(),
      /** First line of the error. */
      error: z.string().nullable(),
      refusal: refusalView.nullable(),
    })
    .nullable(),
  nextRunAt: isoTime.nullable(),
  /** Number of stored records by model. */
  recordCount: z.record(z.string(), z.number().int()),
  /** Changes of the last finished run by model. */
  latestResult: z.record(z.string(), z.object({ added: z.number(), updated: z.number(), deleted: z.number() })),
  checkpoint: dashboardJsonObject.nullable(),
  /** Number of records that the current run has added, updated and deleted; null when no run is active. */
  changedSoFar: z.number().int().nullable(),
  /** The last 20 runs, the oldest first. */
  recentRuns: z.array(
    z.object({
      operationId: z.string(),
      /** `STOPPED` is failed. */
      status: z.enum(['RUNNING', 'SUCCESS', 'STOPPED', 'CANCELLED']),
      startedAt: isoTime,
      /** Null while it runs. */
      durationMs: z.number().nullable(),
      /** Number of records added, updated and deleted. */
      changed: z.number().int(),
    }),
  ),
});

/** Only the given members change. Null restores the function's frequency, or deletes the checkpoint. */
export const updateSyncBody = z.object({
  frequency: z.string().max(100).nullable().optional(),
  checkpoint: dashboardJsonObject.nullable().optional(),
  /** The checkpoint that the change is based on; refused with `checkpoint_conflict` when another one is stored. */
  replaces: dashboardJsonObject.nullable().optional(),
});

export const dashboardSyncCommandBody = z.object({
  integrationKey: z.string(),
  /** Absent: on every connection of the integration, in all variants. */
  connectionId: z.string().optional(),
  sync: z.string(),
  variant: z.string().default('base'),
  command: z.enum(['PAUSE', 'UNPAUSE', 'CANCEL', 'RUN', 'RUN_FULL']),
  /** Only with `RUN_FULL`: deletes the records first. */
  deleteRecords: z.boolean().optional(),
  wantsChanged,
});

export const variantParams = dashboardConnectionParams.extend({ sync: z.string(), variant: variantName });

export const syncsRouteShapes = {
  'GET /api/v1/sync': {
    meaning: 'Syncs of one connection, variants included.',
    query: syncQuery,
    response: wholeResponse(syncRow),
  },
  'POST /api/v1/sync/command': {
    meaning:
      'Pauses, resumes, cancels or runs a sync of one connection or of all; the operation to follow, if one began.',
    query: environmentQuery,
    body: dashboardSyncCommandBody,
    response: z.object({
      operationId: z.string().nullable(),
      changed: changedSyncs,
    }),
  },
  'PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': {
    meaning: 'Changes the frequency or the checkpoint of a sync of this connection.',
    params: variantParams,
    query: environmentQuery,
    body: updateSyncBody,
    response: syncRow,
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant/next-runs': {
    meaning: 'When a sync of this connection would run with another frequency: the next three times.',
    params: variantParams,
    query: environmentQuery.extend({ frequency: z.string().max(100) }),
    response: z.object({ at: z.array(isoTime) }),
  },
  'POST /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': {
    meaning: 'Creates a variant of a sync, with its own schedule, checkpoint and records.',
    params: variantParams,
    query: environmentQuery,
    response: syncRow,
  },
  'DELETE /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': {
    meaning: 'Deletes a variant with its records.',
    params: variantParams,
    query: deletionQuery,
    response: deletionResponse,
  },
};

export type SyncListItem = z.infer<typeof syncRow>;
export type SyncCommand = z.infer<typeof dashboardSyncCommandBody>['command'];
