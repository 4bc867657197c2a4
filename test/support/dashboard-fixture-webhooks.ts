import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { OutgoingWebhookDetail } from '../../server/webhooks-out/dashboard-outgoing-webhooks.contract.ts';
import { type Handler, has, need, page, within } from './dashboard-fixture-lists.ts';
import type { FixtureState } from './dashboard-fixture-state.ts';

type Keys = Extract<
  DashboardRouteKey,
  | `${string} /api/v1/webhooks/${string}`
  | `${string} /api/v1/webhook-destinations${string}`
  | `${string} /api/v1/settings${string}`
  | `${string} /api/v1/telemetry${string}`
>;

function send(state: FixtureState, like: OutgoingWebhookDetail, patch: Partial<OutgoingWebhookDetail>): { id: string } {
  const id = `sent-${state.webhooks.length}`;
  state.webhooks.unshift({ ...like, ...patch, id, createdAt: new Date().toISOString() });
  return { id };
}

/** Webhooks of both directions and settings of the environment, over the fixture's state. */
export const webhookHandlers: { [K in Keys]: Handler<K> } = {
  'GET /api/v1/webhooks/incoming': ({ query }, state) => {
    const rows = state.incoming.filter(
      (row) =>
        has(query.search, row.message, ...row.eventTypes, ...row.connectionIds) &&
        within(query.outcomes, row.outcome) &&
        within(query.integrations, row.integrationKey) &&
        within(query.connections, ...row.connectionIds),
    );
    const window = page(rows, query, { time: (row) => row.receivedAt, size: (row) => row.sizeBytes });
    return { ...window, data: window.data.map(({ query: _, headers, body, expiresAt, ...row }) => row) };
  },
  'GET /api/v1/webhooks/incoming/:webhookId': ({ params }, state) =>
    need(state.incoming.find(({ id }) => id === params.webhookId)),
  'POST /api/v1/webhooks/incoming/:webhookId/replay': ({ params }, state) => {
    const like = need(state.incoming.find(({ id }) => id === params.webhookId));
    const again = { ...like, id: `again-${state.incoming.length}`, replayOf: like.id };
    state.incoming.unshift(again);
    return { id: again.id, outcome: again.outcome, status: again.status };
  },
  'GET /api/v1/webhooks/outgoing': ({ query }, state) => {
    const rows = state.webhooks.filter(
      (row) =>
        has(query.search, row.id, row.message, row.integrationKey, row.connectionId) &&
        within(query.states, row.state) &&
        within(query.types, row.type) &&
        within(query.integrations, row.integrationKey) &&
        within(query.connections, row.connectionId),
    );
    const window = page(rows, query, { time: (row) => row.createdAt });
    return { ...window, data: window.data.map(({ destinations, headers, body, attempts, ...row }) => row) };
  },
  'GET /api/v1/webhooks/outgoing/:webhookId': ({ params }, state) =>
    need(state.webhooks.find(({ id }) => id === params.webhookId)),
  'POST /api/v1/webhooks/outgoing/:webhookId/replay': ({ params, body }, state) => {
    const like = need(state.webhooks.find(({ id }) => id === params.webhookId));
    return send(state, like, {
      cause: 'replay',
      originId: like.id,
      state: 'delivered',
      ...(body.url ? { url: body.url } : {}),
    });
  },
  'POST /api/v1/webhooks/outgoing/replay-failed': (_, state) => {
    const failed = state.webhooks.filter((row) => row.state === 'failed');
    for (const like of failed) send(state, like, { cause: 'replay', originId: like.id, state: 'delivered' });
    return { count: failed.length, perSecond: 10 };
  },
  'POST /api/v1/webhooks/outgoing/sample': ({ body }, state) =>
    send(state, need(state.webhooks[0]), { type: body.type, cause: 'sample', originId: null, state: 'delivered' }),

  'GET /api/v1/webhook-destinations': (_, state) => ({ data: state.destinations }),
  'POST /api/v1/webhook-destinations': ({ body }, state) => {
    const made = { ...body, id: `destination-${state.destinations.length}` };
    state.destinations.push(made);
    return made;
  },
  'PATCH /api/v1/webhook-destinations/:destinationId': ({ params, body }, state) =>
    Object.assign(need(state.destinations.find(({ id }) => id === params.destinationId)), body),
  'DELETE /api/v1/webhook-destinations/:destinationId': ({ params }, state) => {
    state.destinations = state.destinations.filter(({ id }) => id !== params.destinationId);
    return { success: true };
  },
  'POST /api/v1/webhook-destinations/:destinationId/test': ({ params, body }, state) => {
    const { name, url } = need(state.destinations.find(({ id }) => id === params.destinationId));
    const patch = { type: body.type, cause: 'sample', originId: null, state: 'delivered', url } as const;
    return send(state, need(state.webhooks[0]), { ...patch, destinationName: name });
  },

  'GET /api/v1/settings': (_, state) => state.settings,
  'PATCH /api/v1/settings': ({ body }, state) => {
    const { approvals, webhook, retention, variables, otlp_headers, ...rest } = body;
    Object.assign(state.settings, rest);
    Object.assign(state.settings.approvals, approvals);
    Object.assign(state.settings.webhook, webhook);
    Object.assign(state.settings.retention, retention);
    if (variables) state.settings.variables = variables.map(({ name, is_plain = false }) => ({ name, is_plain }));
    if (otlp_headers) state.settings.otlp_headers = otlp_headers.map(({ name }) => ({ name }));
    return state.settings;
  },
  'GET /api/v1/settings/variable-use': () => ({
    used: [{ name: 'SEGMENT_KEY', functions: [{ integrationKey: 'hubspot', type: 'sync', name: 'contacts' }] }],
    missing: [{ name: 'REGION', functions: [{ integrationKey: 'slack', type: 'action', name: 'send-message' }] }],
  }),
  'GET /api/v1/telemetry': (_, state) => ({
    sent: 1284,
    dropped: 0,
    waiting: 3,
    lastExport: { at: new Date(state.now - 4000).toISOString(), spans: 37 },
    problem: null,
  }),
  'POST /api/v1/telemetry/test': (_, state) => ({
    isAccepted: true,
    url: `${state.settings.otlp_endpoint}/v1/traces`,
    traceId: '5b8efff798038103d269b633813fc60c',
    status: 200,
    durationMs: 12,
    message: null,
  }),
  'POST /api/v1/settings/signing-key': (_, state) => {
    state.signingKey = `rotated-${state.signingKey}`;
    return { success: true };
  },
};
