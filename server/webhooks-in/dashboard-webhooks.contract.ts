import { z } from 'zod';
import {
  commaList,
  environmentQuery,
  isoTime,
  listQuery,
  listResponse,
} from '../contract/dashboard/dashboard-lists.ts';

/** Webhooks of providers as they arrived, for reading and replaying. */

/**
 * `handled`: functions ran. `forwarded`: it went to the app only. `ignored`: nobody listened. `failed`: a function or a
 * forward failed. `handshake`: answered as the provider requires, with no other effect. `refused`: the signature or the
 * content was wrong. `error`: the hub could not read it.
 */
const webhookOutcome = z.enum(['handled', 'forwarded', 'ignored', 'failed', 'handshake', 'refused', 'error']);

/**
 * `unchecked`: no secret is known. `skipped`: a replay without the check. `unsupported`: the provider's webhooks have
 * no signature that Homeport knows.
 */
const webhookSignature = z.enum(['valid', 'invalid', 'unchecked', 'skipped', 'unsupported']);

export const dashboardWebhookQuery = listQuery(['time', 'size', 'duration']).extend({
  integrations: commaList(z.string()).optional(),
  connections: commaList(z.string()).optional(),
  outcomes: commaList(webhookOutcome).optional(),
  /** `<from>,<to>` in milliseconds since the epoch. Either side may be empty. */
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
  /** Null until the run has started. */
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
  /** Status of the response. */
  status: z.number().int(),
  /** Null when the signature was not looked at: the webhook was refused before, or came before results were stored. */
  signature: webhookSignature.nullable(),
  /** Why it was refused or could not be read, or a remark about a webhook that was handled. */
  message: z.string().nullable(),
  /** The provider's names of the events; empty when it gives none. */
  eventTypes: z.array(z.string()),
  /** Connections that the webhook concerns. */
  connectionIds: z.array(z.string()),
  runs: z.array(webhookRun),
  /** Number of deliveries to the caller's application. */
  forwards: z.number().int(),
  /** The most urgent state of those deliveries; null when there are none or they are no longer stored. */
  forwardState: z.enum(['waiting', 'delivered', 'failed']).nullable(),
  /** Operation in the log if no function ran; each run has its own. */
  operationId: z.string().nullable(),
  /** Id of the webhook that it replays. */
  replayOf: z.string().nullable(),
  durationMs: z.number(),
});

export const webhookDetail = webhookRow.extend({
  /** Without the question mark. */
  query: z.string(),
  /** Names in lower case, in the order of arrival. */
  headers: z.record(z.string(), z.string()),
  /**
   * Null when it was too large to store, or was deleted in favour of newer ones. `base64` when the bytes are not text.
   */
  body: z.object({ text: z.string(), encoding: z.enum(['utf8', 'base64']) }).nullable(),
  /** Time at which retention deletes it; null when it is kept. */
  expiresAt: isoTime.nullable(),
});

/** Missing members are taken from the stored webhook. */
export const replayWebhookBody = z.object({
  query: z.string().max(65_536).optional(),
  headers: z.record(z.string().regex(/^[a-z0-9!#$%&'*+.^_`|~-]+$/), z.string()).optional(),
  body: z.object({ text: z.string(), encoding: z.enum(['utf8', 'base64']) }).optional(),
  /** Applies it to these connections of the integration, whatever the webhook says. */
  connectionIds: z.array(z.string().min(1)).min(1).max(100).optional(),
  /** Switch it off for an edited or old webhook, whose signature is no longer valid. */
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
    meaning: 'Replays it, unchanged or edited; 409 when its body is not stored and none is given.',
    params: dashboardWebhookParams,
    query: environmentQuery,
    body: replayWebhookBody,
    response: replayedWebhook,
  },
};

export type WebhookRow = z.infer<typeof webhookRow>;
export type WebhookDetail = z.infer<typeof webhookDetail>;
