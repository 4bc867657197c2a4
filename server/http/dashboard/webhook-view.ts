import { isUtf8 } from 'node:buffer';
import type { WebhookDetail, WebhookRow } from '../../contract/dashboard/dashboard-webhooks.ts';
import type { KeptWebhook, KeptWebhookDetail } from '../../services/incoming/kept-webhooks.ts';
import { isoDate, isoDateOrNull } from '../present/dates.ts';

const DAY_MS = 86_400_000;

export function viewWebhook(webhook: KeptWebhook): WebhookRow {
  return {
    id: webhook.id,
    receivedAt: isoDate(webhook.receivedAt),
    integrationKey: webhook.integrationKey,
    provider: webhook.provider,
    method: webhook.method,
    path: webhook.path,
    sizeBytes: webhook.sizeBytes,
    outcome: webhook.outcome,
    status: webhook.status,
    message: webhook.message,
    eventTypes: webhook.eventTypes,
    connectionIds: webhook.connectionIds,
    runs: webhook.runs.map(({ id, functionName, connectionId, state, operationId, endedAt }) => ({
      id,
      functionName,
      connectionId,
      state,
      operationId,
      endedAt: isoDateOrNull(endedAt),
    })),
    forwards: webhook.forwards,
    operationId: webhook.operationId,
    replayOf: webhook.replayOf,
    durationMs: webhook.durationMs,
  };
}

export function viewWebhookDetail(webhook: KeptWebhookDetail, retentionDays: number | null): WebhookDetail {
  return {
    ...viewWebhook(webhook),
    query: webhook.query,
    headers: webhook.headers,
    body: webhook.body ? viewBytes(webhook.body) : null,
    expiresAt: retentionDays === null ? null : isoDate(webhook.receivedAt + retentionDays * DAY_MS),
  };
}

function viewBytes(bytes: Buffer): NonNullable<WebhookDetail['body']> {
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { text: bytes.toString(encoding), encoding };
}
