import { isUtf8 } from 'node:buffer';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { readSnapshot, readSort, viewCount } from '../dashboard/api/list-page.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import type { WebhookDetail, WebhookRow } from './dashboard-webhooks.contract.ts';
import type { ArchivedWebhook, ArchivedWebhookDetail } from './webhook-archive.ts';

type Use = Pick<DashboardParts, 'incoming'>;
type Keys =
  | 'GET /api/v1/webhooks/incoming'
  | 'GET /api/v1/webhooks/incoming/:webhookId'
  | 'POST /api/v1/webhooks/incoming/:webhookId/replay';

export function webhookRoutes({ incoming }: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/webhooks/incoming': listWebhooks(incoming),

    'GET /api/v1/webhooks/incoming/:webhookId': async ({ environment, params }) => {
      const webhook = await incoming.archive.get(environment.id, params.webhookId);
      return viewWebhookDetail(webhook, environment.settings.webhookRetentionDays);
    },

    'POST /api/v1/webhooks/incoming/:webhookId/replay': ({ environment, params, body }) =>
      incoming.repeat(environment, params.webhookId, {
        query: body.query,
        headers: body.headers,
        body: body.body && Buffer.from(body.body.text, body.body.encoding),
        connectionIds: body.connectionIds,
        skipsSignature: !body.checksSignature,
      }),
  };
}

function listWebhooks(incoming: Use['incoming']): DashboardHandler<'GET /api/v1/webhooks/incoming'> {
  return async ({ environment, query }) => {
    const { key, direction } = readSort(query.sort ?? '-time');
    const [from, to] = (query.period ?? ',').split(',').map((side) => (side === '' ? undefined : Number(side)));
    const found = await incoming.archive.list(
      {
        environmentId: environment.id,
        integrations: query.integrations,
        connections: query.connections,
        outcomes: query.outcomes,
        search: query.search?.trim(),
        from,
        to,
        snapshot: readSnapshot(query.snapshot),
      },
      {
        by: key === 'size' || key === 'duration' ? key : 'time',
        direction,
        offset: query.offset,
        limit: query.limit,
        isExactCount: query.count === 'exact',
      },
    );
    return { data: found.webhooks.map(viewWebhook), ...viewCount(found), snapshot: String(found.snapshot) };
  };
}

const DAY_MS = 86_400_000;

function viewWebhook(webhook: ArchivedWebhook): WebhookRow {
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
    signature: webhook.signature,
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
    forwardState: webhook.forwardState,
    operationId: webhook.operationId,
    replayOf: webhook.replayOf,
    durationMs: webhook.durationMs,
  };
}

function viewWebhookDetail(webhook: ArchivedWebhookDetail, retentionDays: number | null): WebhookDetail {
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
