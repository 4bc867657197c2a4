import { z } from 'zod';
import { instant, openObject } from '../contract/response-fields.ts';

/** Responses under `/sync` (http-api.md 10). */

const counts = z.object({ added: z.int(), updated: z.int(), deleted: z.int() });

const syncStatus = z
  .object({
    id: z.uuid(),
    connection_id: z.string(),
    name: z.string(),
    variant: z.string(),
    type: z.enum(['INCREMENTAL', 'INITIAL']),
    status: z.enum(['RUNNING', 'PAUSED', 'STOPPED', 'SUCCESS', 'ERROR']),
    finishedAt: instant.optional(),
    nextScheduledSyncAt: instant.nullable(),
    frequency: z.string().nullable(),
    latestResult: z.record(z.string(), counts).optional(),
    latestExecutionStatus: z.string().optional(),
    recordCount: z.record(z.string(), z.int()),
    checkpoint: openObject.nullable(),
  })
  .meta({ id: 'SyncStatus' });

export const syncStatusResponse = z.object({ syncs: z.array(syncStatus) });
export const syncFrequencyResponse = z.object({ frequency: z.string() });
export const syncVariantResponse = z.object({ id: z.uuid(), name: z.string(), variant: z.string() });
