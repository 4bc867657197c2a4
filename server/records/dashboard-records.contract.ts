import { z } from 'zod';
import {
  commaList,
  dashboardConnectionParams,
  dashboardJsonObject,
  environmentQuery,
  isoTime,
  listQuery,
  listResponse,
  wholeResponse,
} from '../contract/dashboard/dashboard-lists.ts';

export const modelRow = z.object({
  model: z.string(),
  variant: z.string(),
  count: z.number().int(),
  lastModifiedAt: isoTime.nullable(),
  /** Members besides the id, from the schema of the sync that declares the model; empty when no sync does. */
  fields: z.array(z.object({ name: z.string(), type: z.enum(['string', 'number', 'boolean', 'other']) })),
});

export const recordAction = z.enum(['ADDED', 'UPDATED', 'DELETED']);

export const recordQuery = listQuery(['id', 'action', 'modified']).extend({
  model: z.string(),
  variant: z.string().default('base'),
  actions: commaList(recordAction).optional(),
  /** Shows the records as they were at this time, from their history. */
  at: isoTime.optional(),
  /** Time of the last change: `<from>,<to>` in milliseconds since the epoch. Either side may be empty. */
  period: z
    .string()
    .regex(/^\d*,\d*$/)
    .optional(),
  /** Members in `preview`. */
  fields: commaList(z.string()).optional(),
});

export const recordRow = z.object({
  id: z.string(),
  action: recordAction,
  firstSeenAt: isoTime,
  modifiedAt: isoTime,
  deletedAt: isoTime.nullable(),
  cursor: z.string(),
  /**
   * The members that `fields` names. Default: the first five of the payload that are text, numbers or booleans, without
   * `id`. Texts, and the JSON of other values, are cut at 120 characters.
   */
  preview: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});

export const recordList = listResponse(recordRow).extend({
  /** For a past time: number of records that existed, but whose version of that time is no longer kept. */
  lost: z.number().int().min(0),
});

export const recordDetailQuery = environmentQuery.extend({
  model: z.string(),
  variant: z.string().default('base'),
  at: isoTime.optional(),
});

export const recordDetail = recordRow.omit({ preview: true }).extend({
  /** The record without `_nango_metadata`; null when it was pruned. */
  payload: dashboardJsonObject.nullable(),
});

export const recordParams = dashboardConnectionParams.extend({ recordId: z.string() });

/** A stream of records, of all connections of an environment. */
export const recordPlace = dashboardConnectionParams.extend({ model: z.string(), variant: z.string() });

export const recordsRouteShapes = {
  'GET /api/v1/connections/:integrationKey/:connectionId/models': {
    meaning: 'Models with stored records.',
    params: dashboardConnectionParams,
    query: environmentQuery,
    response: wholeResponse(modelRow),
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/records': {
    meaning: 'Records of one model, now or at a past moment; search in id and text.',
    params: dashboardConnectionParams,
    query: recordQuery,
    response: recordList,
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId': {
    meaning: 'One record with its payload.',
    params: recordParams,
    query: recordDetailQuery,
    response: recordDetail,
  },
  'GET /api/v1/records/:recordId': {
    meaning: 'Where records with this id are, of all connections; the last changed first, at most 20.',
    params: z.object({ recordId: z.string() }),
    query: environmentQuery,
    response: wholeResponse(recordPlace),
  },
};

export type ModelRow = z.infer<typeof modelRow>;
export type ShownRecordAction = z.infer<typeof recordAction>;
export type RecordListItem = z.infer<typeof recordRow>;
export type RecordDetail = z.infer<typeof recordDetail>;
export type RecordPlace = z.infer<typeof recordPlace>;
