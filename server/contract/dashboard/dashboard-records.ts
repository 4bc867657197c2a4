import { z } from 'zod';
import { commaList, environmentQuery, isoTime, jsonObject, listQuery } from './dashboard-lists.ts';

export const modelRow = z.object({
  model: z.string(),
  variant: z.string(),
  count: z.number().int(),
  lastModifiedAt: isoTime.nullable(),
});

export const recordAction = z.enum(['ADDED', 'UPDATED', 'DELETED']);

export const recordQuery = listQuery(['id', 'action', 'modified']).extend({
  model: z.string(),
  variant: z.string().default('base'),
  actions: commaList(recordAction).optional(),
});

export const recordRow = z.object({
  id: z.string(),
  action: recordAction,
  firstSeenAt: isoTime,
  modifiedAt: isoTime,
  deletedAt: isoTime.nullable(),
  cursor: z.string(),
  /** The first five members of the payload that are text, numbers or booleans (`id` left out), texts cut at 120 characters. */
  preview: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});

export const recordDetailQuery = environmentQuery.extend({ model: z.string(), variant: z.string().default('base') });

export const recordDetail = recordRow.omit({ preview: true }).extend({
  /** The record without `_nango_metadata`; null once it was pruned. */
  payload: jsonObject.nullable(),
});

export type ModelRow = z.infer<typeof modelRow>;
export type RecordAction = z.infer<typeof recordAction>;
export type RecordRow = z.infer<typeof recordRow>;
export type RecordDetail = z.infer<typeof recordDetail>;
