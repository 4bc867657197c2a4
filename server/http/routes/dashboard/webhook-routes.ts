import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { readSnapshot, readSort } from '../../dashboard/list-page.ts';
import { viewWebhook, viewWebhookDetail } from '../../dashboard/webhook-view.ts';

type Use = Pick<DashboardParts, 'incoming'>;
type Keys =
  | 'GET /api/v1/webhooks/incoming'
  | 'GET /api/v1/webhooks/incoming/:webhookId'
  | 'POST /api/v1/webhooks/incoming/:webhookId/replay';

export function webhookRoutes({ incoming }: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/webhooks/incoming': listWebhooks(incoming),

    'GET /api/v1/webhooks/incoming/:webhookId': async ({ environment, params }) => {
      const webhook = await incoming.kept.get(environment.id, params.webhookId);
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
    const found = await incoming.kept.list(
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
      },
    );
    return { data: found.webhooks.map(viewWebhook), total: found.total, snapshot: String(found.snapshot) };
  };
}
