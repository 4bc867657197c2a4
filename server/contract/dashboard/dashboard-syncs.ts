import { z } from 'zod';
import { dashboardJsonObject, environmentQuery, isoTime } from './dashboard-lists.ts';

export const variantName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]+$/, 'Use letters, digits, _ and -.')
  .max(255);

export const syncQuery = environmentQuery.extend({ integration: z.string(), connection: z.string() });

export const syncRow = z.object({
  name: z.string(),
  variant: z.string(),
  models: z.array(z.string()),
  status: z.enum(['RUNNING', 'PAUSED', 'STOPPED', 'SUCCESS', 'ERROR']),
  scheduleStatus: z.enum(['STARTED', 'PAUSED', 'STOPPED']),
  /** As written by the author ("every hour"). */
  frequency: z.string().nullable(),
  /** The connection has a frequency of its own in place of the function's. */
  hasOwnFrequency: z.boolean(),
  /** Null before the first run. */
  lastRun: z
    .object({
      operationId: z.string(),
      startedAt: isoTime,
      finishedAt: isoTime.nullable(),
      /** First line of the failure. */
      error: z.string().nullable(),
    })
    .nullable(),
  nextRunAt: isoTime.nullable(),
  /** Stored records by model. */
  recordCount: z.record(z.string(), z.number().int()),
  /** Changes of the last finished run by model. */
  latestResult: z.record(z.string(), z.object({ added: z.number(), updated: z.number(), deleted: z.number() })),
  checkpoint: dashboardJsonObject.nullable(),
  /** What the run under way has added, updated and deleted so far; null when none runs. */
  changedSoFar: z.number().int().nullable(),
  /** The last 20 runs, the oldest first. */
  recentRuns: z.array(
    z.object({
      operationId: z.string(),
      status: z.enum(['RUNNING', 'SUCCESS', 'STOPPED']),
      startedAt: isoTime,
      /** Null while it runs. */
      durationMs: z.number().nullable(),
      /** Records added, updated and deleted. */
      changed: z.number().int(),
    }),
  ),
});

/** Members given replace what is stored; null goes back to the function's frequency, or forgets the checkpoint. */
export const updateSyncBody = z.object({
  frequency: z.string().max(100).nullable().optional(),
  checkpoint: dashboardJsonObject.nullable().optional(),
});

export const dashboardSyncCommandBody = z.object({
  integrationKey: z.string(),
  connectionId: z.string(),
  sync: z.string(),
  variant: z.string().default('base'),
  command: z.enum(['PAUSE', 'UNPAUSE', 'CANCEL', 'RUN', 'RUN_FULL']),
  /** With `RUN_FULL`: empty the cache first. */
  deleteRecords: z.boolean().optional(),
});

export type SyncListItem = z.infer<typeof syncRow>;
export type SyncCommand = z.infer<typeof dashboardSyncCommandBody>['command'];
