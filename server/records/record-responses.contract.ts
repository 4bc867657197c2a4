import { z } from 'zod';
import { instant } from '../contract/response-fields.ts';

/** Responses under `/records` (http-api.md 11). */

const recordMetadata = z.object({
  first_seen_at: instant,
  last_modified_at: instant,
  last_action: z.enum(['ADDED', 'UPDATED', 'DELETED']),
  deleted_at: instant.nullable(),
  pruned_at: instant.nullable(),
  cursor: z.string(),
  deleted: z.literal(true).optional(),
});

/** The fields that the sync saved, with `id` as text. */
const record = z.looseObject({ id: z.string(), _nango_metadata: recordMetadata }).meta({ id: 'Record' });

export const recordsResponse = z.object({ next_cursor: z.string().nullable(), records: z.array(record) });
export const prunedResponse = z.object({ count: z.int(), has_more: z.boolean() });
