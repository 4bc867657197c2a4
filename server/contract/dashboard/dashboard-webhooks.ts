import { z } from 'zod';
import { commaList, environmentQuery, isoTime, listQuery, listResponse } from './dashboard-lists.ts';

/** Webhooks of providers as they arrived, for looking into and for repeating. */

/**
 * `handshake`: answered as the provider asks for, nothing else happened. `refused`: signature or content did not fit.
 * `error`: the hub could not read it.
 */
const webhookOutcome = z.enum(['handled', 'handshake', 'refused', 'error']);

/**
 * `unchecked`: no secret is known to check it with. `skipped`: a replay that was not to be checked. `unsupported`: the
 * provider's webhooks carry no signature that Homeport knows.
 */
const webhookSignature = z.enum(['valid', 'invalid', 'unchecked', 'skipped', 'unsupported']);

export const dashboardWebhookQuery = listQuery(['time', 'size', 'duration']).extend({
  integrations: commaList(z.string()).optional(),
  connections: commaList(z.string()).optional(),
  outcomes: commaList(webhookOutcome).optional(),
  /** `<from>,<to>` in milliseconds since the epoch; either side may be empty. */
  period: z
    .string()
    .regex(/^\d*,\d*$/)
    .optional(),
});

/** One run of a sync's `onWebhook`. */
const webhookRun = z.object({
  id: z.string(),
  functionName: z.string(),
  connectionId: z.string(),
  state: z.enum(['queued', 'running', 'success', 'failed', 'expired']),
  /** Null until it began. */
  operationId: z.string().nullable(),
  endedAt: isoTime.nullable(),
});

export const webhookRow = z.object({
  id: z.string(),
  receivedAt: isoTime,
  integrationKey: z.string(),
  provider: z.string(),
  method: z.string(),
  /** Without the query. */
  path: z.string(),
  sizeBytes: z.number().int(),
  outcome: webhookOutcome,
  /** Of the answer. */
  status: z.number().int(),
  /** Null where nothing looked at it: it was refused before, or came before this was kept. */
  signature: webhookSignature.nullable(),
  /** Why it was refused or could not be read, or what is to be said of it although it was handled. */
  message: z.string().nullable(),
  /** What the provider calls it; empty when it does not say. */
  eventTypes: z.array(z.string()),
  /** Connections that it concerns. */
  connectionIds: z.array(z.string()),
  runs: z.array(webhookRun),
  /** Deliveries to the caller's application. */
  forwards: z.number().int(),
  /** Of those deliveries, what needs a look first; null when there are none, or they are not kept any more. */
  forwardState: z.enum(['waiting', 'delivered', 'failed']).nullable(),
  /** Operation of the log when nothing ran; each run has its own. */
  operationId: z.string().nullable(),
  /** The webhook that this one repeats. */
  replayOf: z.string().nullable(),
  durationMs: z.number(),
});

export const webhookDetail = webhookRow.extend({
  /** Without the question mark. */
  query: z.string(),
  /** Lower-case names, in the order in which they came. */
  headers: z.record(z.string(), z.string()),
  /** Null when it was too large to keep, or gave way to newer ones. `base64` when the bytes are no text. */
  body: z.object({ text: z.string(), encoding: z.enum(['utf8', 'base64']) }).nullable(),
  /** When retention deletes it; null when it stays. */
  expiresAt: isoTime.nullable(),
});

/** Absent members are as they came. */
export const replayWebhookBody = z.object({
  query: z.string().max(65_536).optional(),
  headers: z.record(z.string().regex(/^[a-z0-9!#$%&'*+.^_`|~-]+$/), z.string()).optional(),
  body: z.object({ text: z.string(), encoding: z.enum(['utf8', 'base64']) }).optional(),
  /** It concerns these connections of the integration, whatever it says. */
  connectionIds: z.array(z.string().min(1)).min(1).max(100).optional(),
  /** An edited body, or an old one, does not fit its signature any more. */
  checksSignature: z.boolean().default(true),
});

export const replayedWebhook = z.object({ id: z.string(), outcome: webhookOutcome, status: z.number().int() });

export const dashboardWebhookParams = z.object({ webhookId: z.string() });

export const webhooksRouteShapes = {
  'GET /api/v1/webhooks/incoming': {
    meaning: 'Webhooks that providers sent, newest first unless sorted; search in event types, connections, message.',
    query: dashboardWebhookQuery,
    response: listResponse(webhookRow),
  },
  'GET /api/v1/webhooks/incoming/:webhookId': {
    meaning: 'One webhook with its headers and its body.',
    params: dashboardWebhookParams,
    query: environmentQuery,
    response: webhookDetail,
  },
  'POST /api/v1/webhooks/incoming/:webhookId/replay': {
    meaning: 'Takes it once more, as it came or edited; 409 when its body is not kept and none is given.',
    params: dashboardWebhookParams,
    query: environmentQuery,
    body: replayWebhookBody,
    response: replayedWebhook,
  },
};

export type WebhookRow = z.infer<typeof webhookRow>;
export type WebhookDetail = z.infer<typeof webhookDetail>;
