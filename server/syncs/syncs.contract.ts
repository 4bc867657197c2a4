import { z } from 'zod';
import { connectionId, functionName, integrationId } from '../contract/fields.ts';
import { instant, openObject } from '../contract/response-fields.ts';

/** Routes of `/sync` (http-api.md 10). */

/** `"name"`, `"name::variant"` or `{name, variant}`. Anything else is one issue for the item. */
const syncItem = z.union([z.string(), z.strictObject({ name: z.string(), variant: z.string() })]).transform((item) => {
  return typeof item === 'string' ? toSyncRef(item) : item;
});

/** Parses `name` or `name::variant`. Everything after the first `::` is the variant; default `base`. */
export function toSyncRef(text: string): { name: string; variant: string } {
  const [name = '', ...variant] = text.split('::');
  return { name, variant: variant.join('::') || 'base' };
}

export const triggerSyncBody = z
  .strictObject({
    syncs: z.array(syncItem),
    provider_config_key: integrationId.optional(),
    connection_id: connectionId.optional(),
    opts: z.object({ reset: z.boolean().optional(), emptyCache: z.boolean().optional() }).optional(),
    sync_mode: z.enum(['incremental', 'full_refresh', 'full_refresh_and_clear_cache']).optional(),
    full_resync: z.boolean().optional(),
  })
  .superRefine((value, context) => {
    if (value.opts && (value.sync_mode !== undefined || value.full_resync !== undefined)) {
      context.addIssue({
        code: 'custom',
        path: ['opts'],
        message: 'opts cannot be combined with sync_mode or full_resync.',
      });
    }
  });

export const syncCommandBody = z.strictObject({
  syncs: z.array(syncItem).max(256),
  provider_config_key: integrationId,
  connection_id: connectionId.optional(),
});

export const syncStatusQuery = z.strictObject({
  syncs: z.string(),
  provider_config_key: integrationId,
  connection_id: connectionId.optional(),
});

const OVERRIDE =
  /^(every )?((\d+)?\s?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)|month|half day|half hour|quarter hour)$/;

export const syncFrequencyBody = z.strictObject({
  sync_name: functionName,
  sync_variant: functionName.default('base'),
  provider_config_key: integrationId,
  connection_id: connectionId,
  frequency: z.string().regex(OVERRIDE, 'Write how often, such as every 30 minutes or every 2 hours.').nullable(),
});

export const syncVariantParams = z.strictObject({ name: functionName, variant: functionName });
export const syncVariantBody = z.strictObject({ provider_config_key: integrationId, connection_id: connectionId });

export type TriggerSyncBody = z.infer<typeof triggerSyncBody>;

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
