import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { readSnapshot, readSort, viewCount } from '../dashboard/api/list-page.ts';
import { refuseOwnAddress } from '../platform/http/refuse-own-address.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import type { OutgoingWebhookDetail, OutgoingWebhookRow } from './dashboard-outgoing-webhooks.contract.ts';
import type { DeliveryDetail, DeliverySummary } from './delivery-history.ts';
import { BULK_PER_SECOND } from './destination-fields.contract.ts';

type Use = Pick<DashboardParts, 'about' | 'notifications'>;
type Keys =
  | 'GET /api/v1/webhooks/outgoing'
  | 'GET /api/v1/webhooks/outgoing/:webhookId'
  | 'POST /api/v1/webhooks/outgoing/:webhookId/replay'
  | 'POST /api/v1/webhooks/outgoing/replay-failed'
  | 'POST /api/v1/webhooks/outgoing/sample';

export function outgoingWebhookRoutes(use: Use): DashboardHandlers<Keys> {
  const { history } = use.notifications;
  const refuseOwn = (url: string | undefined): void =>
    refuseOwnAddress([{ path: ['url'], url }], { local: use.about.apiUrl(), public: use.about.publicBase() });
  return {
    'GET /api/v1/webhooks/outgoing': listOutgoingWebhooks(use),

    'GET /api/v1/webhooks/outgoing/:webhookId': async ({ environment, params }) =>
      viewOutgoingWebhookDetail(await history.get(environment.id, params.webhookId)),

    'POST /api/v1/webhooks/outgoing/:webhookId/replay': async ({ environment, params, body }) => {
      refuseOwn(body.url);
      return { id: await history.replay(environment.id, params.webhookId, body.url) };
    },

    'POST /api/v1/webhooks/outgoing/replay-failed': async ({ environment, body }) => ({
      count: await history.replayFailed({ environmentId: environment.id, ...body }),
      perSecond: BULK_PER_SECOND,
    }),

    'POST /api/v1/webhooks/outgoing/sample': async ({ environment, body }) => {
      refuseOwn(body.url);
      return { id: await use.notifications.sendSample(environment, body.type, body.url) };
    },
  };
}

function listOutgoingWebhooks(use: Use): DashboardHandler<'GET /api/v1/webhooks/outgoing'> {
  return async ({ environment, query }) => {
    const { states, types, integrations, connections, search, offset, limit } = query;
    const found = await use.notifications.history.list(
      {
        environmentId: environment.id,
        states,
        types,
        integrations,
        connections,
        search: search?.trim(),
        snapshot: readSnapshot(query.snapshot),
      },
      {
        offset,
        limit,
        isAscending: readSort(query.sort ?? '-time').direction === 'asc',
        isExactCount: query.count === 'exact',
      },
    );
    return { data: found.deliveries.map(viewOutgoingWebhook), ...viewCount(found), snapshot: String(found.snapshot) };
  };
}

function viewOutgoingWebhook(delivery: DeliverySummary): OutgoingWebhookRow {
  const { createdAt, nextAttemptAt, finishedAt, ...facts } = delivery;
  return {
    ...facts,
    createdAt: isoDate(createdAt),
    nextAttemptAt: isoDateOrNull(nextAttemptAt),
    finishedAt: isoDateOrNull(finishedAt),
  };
}

function viewOutgoingWebhookDetail({ attempts, ...delivery }: DeliveryDetail): OutgoingWebhookDetail {
  const { body, destinations, headers, ...summary } = delivery;
  return {
    ...viewOutgoingWebhook(summary),
    body,
    destinations,
    headers,
    attempts: attempts.map(({ startedAt, ...attempt }) => ({ ...attempt, startedAt: isoDate(startedAt) })),
  };
}
