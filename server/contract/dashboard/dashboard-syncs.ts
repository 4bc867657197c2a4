import { z } from 'zod';
import { dashboardJsonObject, environmentQuery, isoTime } from './dashboard-lists.ts';

export const syncQuery = environmentQuery.extend({ integration: z.string(), connection: z.string() });

export const syncRow = z.object({
  name: z.string(),
  variant: z.string(),
  models: z.array(z.string()),
  status: z.enum(['RUNNING', 'PAUSED', 'STOPPED', 'SUCCESS', 'ERROR']),
  scheduleStatus: z.enum(['STARTED', 'PAUSED', 'STOPPED']),
  /** As written by the author ("every hour"). */
  frequency: z.string().nullable(),
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
