import { z } from 'zod';
import {
  commaList,
  environmentQuery,
  isoTime,
  listQuery,
  listResponse,
} from '../contract/dashboard/dashboard-lists.ts';
import { httpUrl } from '../contract/fields.ts';
import { dashboardWebhookParams } from '../webhooks-in/dashboard-webhooks.contract.ts';
import { webhookType } from './destination-fields.contract.ts';

export const deliveryState = z.enum(['waiting', 'delivered', 'failed']);

const names = commaList(z.string()).optional();

/** `search` reads message, integration, connection and id. */
export const outgoingWebhookQuery = listQuery(['time']).extend({
  states: commaList(deliveryState).optional(),
  types: commaList(webhookType).optional(),
  integrations: names,
  connections: names,
});

/** A webhook to the caller's application (ui.md 6.13). */
export const outgoingWebhookRow = z.object({
  id: z.string(),
  type: webhookType,
  /** Why it was sent: an event, a replay, or a test of the receiver. */
  cause: z.enum(['event', 'replay', 'sample']),
  /** Id of the webhook that it replays. */
  originId: z.string().nullable(),
  state: deliveryState,
  integrationKey: z.string().nullable(),
  connectionId: z.string().nullable(),
  /** One sentence. */
  message: z.string(),
  operationId: z.string().nullable(),
  /**
   * Address of the next attempt, or of the last one when it is finished. Without a password; empty while the vault is
   * locked.
   */
  url: z.string(),
  /** Name of the further destination; null for the primary and the secondary URL. */
  destinationName: z.string().nullable(),
  /** Counted from 1. Destinations are served one after the other. */
  destination: z.number().int(),
  destinationCount: z.number().int(),
  /** Number of the next attempt at this destination, or of the last one when it is finished. Counted from 1. */
  attempt: z.number().int(),
  mostAttempts: z.number().int(),
  /** Result of the last attempt: the status of the response, or the code of the failure. */
  code: z.number().int().nullable(),
  error: z.string().nullable(),
  durationMs: z.number().nullable(),
  createdAt: isoTime,
  nextAttemptAt: isoTime.nullable(),
  finishedAt: isoTime.nullable(),
});

const headers = z.record(z.string(), z.string());

export const outgoingWebhookDetail = outgoingWebhookRow.extend({
  destinations: z.array(z.string()),
  /** As an attempt would send them now, with signatures. Secret headers of a provider have no value here. */
  headers,
  body: z.string(),
  attempts: z.array(
    z.object({
      url: z.string(),
      destination: z.number().int(),
      attempt: z.number().int(),
      startedAt: isoTime,
      durationMs: z.number(),
      /** Null when no response arrived; `error` is then a code and `problem` a sentence. */
      code: z.number().int().nullable(),
      error: z.string().nullable(),
      problem: z.string().nullable(),
      headers: headers.nullable(),
      /** The first 64 kB. */
      body: z.string().nullable(),
      isBodyCut: z.boolean(),
    }),
  ),
});

export const outgoingReplayBody = z.object({ url: httpUrl.optional() });
export const outgoingSent = z.object({ id: z.string() });

/** All failed webhooks that match a filter and were not sent again since. */
export const outgoingFailedBody = z.object({
  types: z.array(webhookType).max(20).optional(),
  integrations: z.array(z.string()).max(20).optional(),
  connections: z.array(z.string()).max(20).optional(),
  search: z.string().max(255).optional(),
});
export const outgoingSentMany = z.object({ count: z.number().int(), perSecond: z.number() });

/** Sent to the addresses of the environment, or to `url`. */
export const outgoingSampleBody = z.object({ type: webhookType, url: httpUrl.optional() });

export type ShownWebhookType = z.infer<typeof webhookType>;
export type OutgoingWebhookRow = z.infer<typeof outgoingWebhookRow>;
export type OutgoingWebhookDetail = z.infer<typeof outgoingWebhookDetail>;
export type WebhookAttempt = OutgoingWebhookDetail['attempts'][number];

export const outgoingWebhooksRouteShapes = {
  'GET /api/v1/webhooks/outgoing': {
    meaning: 'Webhooks to the caller’s application, newest first unless sorted.',
    query: outgoingWebhookQuery,
    response: listResponse(outgoingWebhookRow),
  },
  'GET /api/v1/webhooks/outgoing/:webhookId': {
    meaning: 'One with body, headers and attempts.',
    params: dashboardWebhookParams,
    query: environmentQuery,
    response: outgoingWebhookDetail,
  },
  'POST /api/v1/webhooks/outgoing/:webhookId/replay': {
    meaning: 'Sends it again with a new signature to the same addresses or to another one.',
    params: dashboardWebhookParams,
    query: environmentQuery,
    body: outgoingReplayBody,
    response: outgoingSent,
  },
  'POST /api/v1/webhooks/outgoing/replay-failed': {
    meaning: 'Sends failed webhooks again to the destinations that failed, unless they were sent again since.',
    query: environmentQuery,
    body: outgoingFailedBody,
    response: outgoingSentMany,
  },
  'POST /api/v1/webhooks/outgoing/sample': {
    meaning: 'Sends a sample event of a type, signed like a real one.',
    query: environmentQuery,
    body: outgoingSampleBody,
    response: outgoingSent,
  },
};
