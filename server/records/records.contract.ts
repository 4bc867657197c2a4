import { z } from 'zod';
import { functionName, modelName } from '../contract/fields.ts';

/** `GET /records` and `PATCH /records/prune` (http-api.md 11). */

/** With a zone. The plus sign of an offset arrives as a space when a caller pastes a timestamp into an address. */
const instant = z.preprocess(
  (value) => (typeof value === 'string' ? value.replace(/ (?=\d\d:\d\d$)/, '+') : value),
  z.iso.datetime({ offset: true }),
);
const action = z.enum(['added', 'updated', 'deleted', 'ADDED', 'UPDATED', 'DELETED']);

/** Comma-separated list. Issues name the index of an item. */
const filter = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(action))
  .transform((items) => items.map((item) => item.toLowerCase() as 'added' | 'updated' | 'deleted'));

const recordId = z.string().min(1).max(2048);

export const listRecordsQuery = z.strictObject({
  model: modelName,
  variant: functionName.optional(),
  modified_after: instant.optional(),
  delta: instant.optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(100),
  filter: filter.optional(),
  cursor: z.string().min(1).max(1000).optional(),
  ids: z
    .union([recordId, z.array(recordId).max(100)])
    .transform((value) => [value].flat())
    .optional(),
});

export const pruneRecordsBody = z.strictObject({
  model: modelName,
  variant: functionName.optional(),
  until_cursor: z.string().min(1).max(1000),
  limit: z.number().int().min(1).max(10_000).default(1000),
});

export type ListRecordsQuery = z.infer<typeof listRecordsQuery>;
