import type { DashboardEvent, DashboardEventName } from '../../server/contract/dashboard/dashboard-events.ts';
import { type ChangingRoute, environmentKey, type ReadRoute, routeKey } from './route-query.ts';

/**
 * What changes what: for each event and each request that changes something, the routes whose answers are read again.
 * `runs` are short lists of operations; the log has live rows instead, and is not read again. `all` is everything of the
 * environment, `everywhere` everything of every environment. Loaded with the first event or change, after the first view.
 */
export type Topic = ReadRoute | 'runs' | 'all' | 'everywhere';
/** A topic, if need be with the parts of the input that a query must have: those of one connection, for example. */
export type Refreshed = Topic | readonly [ReadRoute, { params?: object; query?: object }];

const CONNECTIONS = ['GET /api/v1/connections', 'GET /api/v1/connections/count'] as const;
const INTEGRATIONS = [
  'GET /api/v1/integrations',
  'GET /api/v1/integrations/:integrationKey',
  'GET /api/v1/integrations/:integrationKey/changes',
] as const;
const MODELS = 'GET /api/v1/connections/:integrationKey/:connectionId/models';
const RECORDS = [
  'GET /api/v1/connections/:integrationKey/:connectionId/records',
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId',
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/versions',
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/diff',
] as const;
const RUNS = ['runs', 'GET /api/v1/functions/:integrationKey/sync/:name/connections'] as const;
/** The history of records is not among them: it would be counted again with every batch of a run. */
const HISTORY = 'GET /api/v1/connections/:integrationKey/:connectionId/history';
/** One connection and what belongs to it. */
const CONNECTION = [
  'GET /api/v1/connections/:integrationKey/:connectionId',
  'GET /api/v1/sync',
  'GET /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant/next-runs',
  MODELS,
  ...RECORDS,
  HISTORY,
] as const;
/** Not among them: the code of a version, which never changes. */
const FUNCTIONS = [
  'GET /api/v1/functions',
  'GET /api/v1/functions/missing',
  'GET /api/v1/functions/:integrationKey/:type/:name',
  'GET /api/v1/functions/:integrationKey/:type/:name/stats',
  'GET /api/v1/functions/:integrationKey/:type/:name/versions',
  'GET /api/v1/functions/:integrationKey/:type/:name/tests',
  'GET /api/v1/integrations/:integrationKey/function-draft',
  'GET /api/v1/integrations/:integrationKey/function-prompt',
  'GET /api/v1/integrations/:integrationKey/templates',
] as const;
const MCP = [
  'GET /api/v1/mcp/approvals',
  'GET /api/v1/mcp/clients',
  'GET /api/v1/mcp/decisions',
  'GET /api/v1/mcp/calls',
  'GET /api/v1/mcp/tools',
] as const;
const INCOMING = ['GET /api/v1/webhooks/incoming'] as const;
const OUTGOING = ['GET /api/v1/webhooks/outgoing'] as const;
const ATTENTION = 'GET /api/v1/overview/attention';

/** The topics of one connection. */
const ofConnection = (topics: readonly ReadRoute[], ref: ConnectionRef, query: object = {}): Refreshed[] =>
  topics.map((topic) =>
    topic === 'GET /api/v1/sync'
      ? [topic, { query: { integration: ref.integrationKey, connection: ref.connectionId } }]
      : [topic, { params: { integrationKey: ref.integrationKey, connectionId: ref.connectionId }, query }],
  );

interface ConnectionRef {
  integrationKey: string;
  connectionId: string;
}

/** Lists are read again soon after an event, once for all events of that time; charts, which count the whole log, slowly. */
interface Pace {
  now?: readonly Refreshed[];
  soon?: readonly Refreshed[];
  slowly?: readonly Refreshed[];
}

export const EVENTS: { [Name in DashboardEventName]: (data: DashboardEvent<Name>) => Pace } = {
  health: () => ({}),
  operation: ({ operation: { type }, error }) => ({
    soon: [
      ...(type === 'proxy' ? [] : RUNS),
      // The text of an error is stored with the operation, after the event of the sync or the connection.
      ...(error && ['sync', 'auth'].includes(type) ? ([ATTENTION] as const) : []),
    ],
    slowly: ['GET /api/v1/overview/activity', 'GET /api/v1/overview/durations'],
  }),
  message: ({ operationId }) => ({ soon: [['GET /api/v1/logs/messages', { query: { operationId } }]] }),
  connection: ({ change, ...ref }) => ({
    soon: [...CONNECTIONS, ...INTEGRATIONS, ATTENTION, ...(change === 'deleted' ? [] : ofConnection(CONNECTION, ref))],
  }),
  sync: (ref) => ({
    soon: [...CONNECTIONS, ...ofConnection(['GET /api/v1/sync'], ref), ATTENTION],
    slowly: ['GET /api/v1/overview/planned'],
  }),
  records: ({ model, ...ref }) => ({
    soon: [...ofConnection([MODELS], ref), ...ofConnection(RECORDS, ref, { model })],
  }),
  // Integrations count functions, and actions are MCP tools.
  function: () => ({ soon: [...FUNCTIONS, ...INTEGRATIONS, 'GET /api/v1/mcp/tools'] }),
  approval: () => ({ now: MCP }),
  webhook: ({ direction, id: webhookId }) => ({
    soon:
      direction === 'incoming'
        ? [...INCOMING, ['GET /api/v1/webhooks/incoming/:webhookId', { params: { webhookId } }]]
        : [
            ...OUTGOING,
            // What became of a provider's webhook depends on its forwards.
            ...INCOMING,
            ATTENTION,
            ['GET /api/v1/webhooks/outgoing/:webhookId', { params: { webhookId } }],
          ],
  }),
  key: () => ({ soon: ['GET /api/v1/keys'] }),
  pairing: () => ({ now: ['GET /api/v1/pairings'] }),
  destination: () => ({ soon: [...RECORD_DESTINATIONS, ATTENTION] }),
  snapshot: () => ({ soon: ['GET /api/v1/snapshots'] }),
  drift: ({ integrationKey }) => ({
    soon: [['GET /api/v1/integrations/:integrationKey/drift-watch', { params: { integrationKey } }]],
  }),
  audit: () => ({ soon: ['GET /api/v1/audit', 'GET /api/v1/keys'] }),
  notification: () => ({ soon: ['GET /api/v1/notifications'] }),
  reset: () => ({ now: ['all'] }),
};

/** Prefix of the keys of what is read again, for a request with the parameters that it names. */
export function refreshedKey(env: string, refreshed: Refreshed, of: { params?: object } = {}): readonly unknown[] {
  const [topic, input] = typeof refreshed === 'string' ? [refreshed, of] : refreshed;
  if (topic === 'all') return environmentKey(env);
  if (topic === 'everywhere') return environmentKey();
  return topic === 'runs' ? routeKey(env, 'GET /api/v1/logs/operations', {}, topic) : routeKey(env, topic, input);
}

const SYNCS = ['GET /api/v1/sync', ...RUNS] as const;
const TESTS = ['GET /api/v1/functions/:integrationKey/:type/:name/tests'] as const;
const PROVIDERS = [
  'GET /api/v1/providers',
  'GET /api/v1/providers/:provider',
  'GET /api/v1/provider-entries',
  'GET /api/v1/provider-entries/:provider',
] as const;
/** What an agent may do depends on its key. */
const KEYS = ['GET /api/v1/keys', 'GET /api/v1/pairings', ...MCP] as const;
const AGENTS = ['GET /api/v1/agents/programs', 'GET /api/v1/agents/sessions'] as const;
const RECORD_DESTINATIONS = [
  'GET /api/v1/record-destinations',
  'GET /api/v1/record-destinations/:destinationId',
] as const;
const DRIFT = ['GET /api/v1/integrations/:integrationKey/drift-watch'] as const;
const DATA = ['GET /api/v1/data', 'GET /api/v1/data/key'] as const;
const INPUTS = ['GET /api/v1/playground/inputs', 'GET /api/v1/playground/requests'] as const;
const META = ['GET /api/v1/meta'] as const;
const NOTHING = [] as const;

/** Requests whose answer is what this route would answer then, so that it need not be read again. */
export const ANSWERS: Partial<Record<ChangingRoute, ReadRoute>> = {
  'PATCH /api/v1/connections/:integrationKey/:connectionId': 'GET /api/v1/connections/:integrationKey/:connectionId',
  'PATCH /api/v1/settings': 'GET /api/v1/settings',
  'PATCH /api/v1/callback': 'GET /api/v1/callback',
  'PUT /api/v1/practice/failure': 'GET /api/v1/practice/failure',
  'PUT /api/v1/traffic-recording': 'GET /api/v1/traffic-recording',
  'POST /api/v1/playground/runs/:runId/cancel': 'GET /api/v1/playground/runs/:runId',
};

/**
 * What a request changes. A query of a route is read again if it has the parameters of the path that both routes name.
 */
export const CHANGES: Record<ChangingRoute, readonly Topic[]> = {
  'POST /api/v1/session': NOTHING,
  'DELETE /api/v1/session': NOTHING,
  'DELETE /api/v1/sessions': ['GET /api/v1/sessions'],
  'DELETE /api/v1/sessions/:sessionId': ['GET /api/v1/sessions'],
  'POST /api/v1/environments': META,
  'PATCH /api/v1/environments/current': META,
  'DELETE /api/v1/environments/current': META,
  'PUT /api/v1/environments/order': META,
  'POST /api/v1/schedules/pause': META,
  'POST /api/v1/schedules/resume': META,
  'POST /api/v1/vault/lock': META,
  'POST /api/v1/vault/unlock': META,
  'POST /api/v1/vault/presence': NOTHING,
  'PUT /api/v1/vault/auto-lock': META,
  'POST /api/v1/data/backups': DATA,
  'DELETE /api/v1/data/backups/:name': DATA,
  'POST /api/v1/data/compact': DATA,
  'POST /api/v1/data/verify': NOTHING,
  'POST /api/v1/data/key': [...DATA, ...META],
  'PUT /api/v1/traffic-recording': ['GET /api/v1/traffic-recording'],
  'DELETE /api/v1/traffic-recording': ['GET /api/v1/traffic-recording'],

  // The status bar shows the tunnel.
  'PATCH /api/v1/settings': [
    'GET /api/v1/settings',
    'GET /api/v1/settings/variable-use',
    'GET /api/v1/mcp/approvals-target',
    ...META,
  ],
  'POST /api/v1/settings/signing-key': NOTHING,
  'POST /api/v1/telemetry/test': ['GET /api/v1/telemetry'],
  'POST /api/v1/mcp/approvals-target/test': ['GET /api/v1/mcp/approvals-target'],
  'POST /api/v1/reveal': NOTHING,
  // Every integration shows the callback address.
  'PATCH /api/v1/callback': ['GET /api/v1/callback', ...INTEGRATIONS],
  'POST /api/v1/callback/check': NOTHING,

  'POST /api/v1/integrations': INTEGRATIONS,
  'PATCH /api/v1/integrations/:integrationKey': INTEGRATIONS,
  'PUT /api/v1/integrations/:integrationKey/drift-watch': DRIFT,
  'POST /api/v1/integrations/:integrationKey/drift-watch/run': DRIFT,
  'DELETE /api/v1/integrations/:integrationKey/drift-watch': DRIFT,
  // Its own pages end with it.
  'DELETE /api/v1/integrations/:integrationKey': ['all'],
  'POST /api/v1/integrations/:integrationKey/changes/:changeId/undo': INTEGRATIONS,
  // The copy may be in another environment.
  'POST /api/v1/integrations/:integrationKey/duplicate': ['everywhere'],
  'POST /api/v1/practice': ['all'],
  'POST /api/v1/practice/sign-in': INTEGRATIONS,
  'PUT /api/v1/practice/failure': ['GET /api/v1/practice/failure'],
  'DELETE /api/v1/practice/failure': ['GET /api/v1/practice/failure'],
  // Integrations of every environment show it.
  'POST /api/v1/providers/:provider/approve': [...PROVIDERS, 'everywhere'],
  'PUT /api/v1/provider-entries/:provider': PROVIDERS,
  'DELETE /api/v1/provider-entries/:provider': PROVIDERS,
  'POST /api/v1/provider-entries/import': PROVIDERS,
  'POST /api/v1/provider-entries/check': NOTHING,
  'POST /api/v1/provider-entries/propose': NOTHING,
  'POST /api/v1/provider-entries/try': NOTHING,

  'POST /api/v1/connect-sessions': NOTHING,
  'POST /api/v1/connections': [...CONNECTIONS, ...INTEGRATIONS],
  'PATCH /api/v1/connections/:integrationKey/:connectionId': [
    ...CONNECTIONS,
    'GET /api/v1/connections/:integrationKey/:connectionId',
  ],
  // Without itself: its page ends with it.
  'DELETE /api/v1/connections/:integrationKey/:connectionId': [...CONNECTIONS, ...INTEGRATIONS],
  'POST /api/v1/connections/:integrationKey/:connectionId/refresh': [...CONNECTIONS, ...CONNECTION],
  'POST /api/v1/connections/test': [...CONNECTIONS, ...CONNECTION],
  'POST /api/v1/connections/bulk': [...CONNECTIONS, ...CONNECTION, ...INTEGRATIONS],
  'POST /api/v1/sync/command': [...CONNECTIONS, ...SYNCS, ATTENTION],
  'POST /api/v1/sync/undo': ['all'],
  'POST /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': CONNECTION,
  'PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': SYNCS,
  'DELETE /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': CONNECTION,
  'PUT /api/v1/functions/:integrationKey/sync/:name/history': [...RECORDS, HISTORY],
  'POST /api/v1/deletions/:deletionId/undo': ['all'],
  'POST /api/v1/deletions/:deletionId/keep': NOTHING,
  'POST /api/v1/deletions/:deletionId/end': ['all'],
  'POST /api/v1/overview/causes': [...CONNECTIONS, ...OUTGOING, ATTENTION],

  'PATCH /api/v1/functions/:integrationKey/:type/:name': FUNCTIONS,
  'POST /api/v1/functions/bulk': FUNCTIONS,
  'POST /api/v1/functions/missing/confirm': FUNCTIONS,
  'POST /api/v1/functions/missing/prune': ['all'],
  'POST /api/v1/functions/:integrationKey/:type/:name/versions/:versionId/restore': FUNCTIONS,
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/run': TESTS,
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/update': TESTS,
  'POST /api/v1/integrations/:integrationKey/functions': FUNCTIONS,
  'POST /api/v1/integrations/:integrationKey/api-description': NOTHING,
  'POST /api/v1/integrations/:integrationKey/described-functions': [
    ...FUNCTIONS,
    'GET /api/v1/integrations/:integrationKey/api-description',
  ],
  'POST /api/v1/integrations/:integrationKey/described-functions/preview': NOTHING,
  'POST /api/v1/integrations/:integrationKey/templates/:type/:name': FUNCTIONS,
  'POST /api/v1/integrations/:integrationKey/templates/:type/:name/try': NOTHING,

  'POST /api/v1/playground/runs': ['GET /api/v1/playground/runs'],
  'DELETE /api/v1/playground/runs': ['GET /api/v1/playground/runs'],
  'POST /api/v1/playground/runs/:runId/cancel': ['GET /api/v1/playground/runs/:runId'],
  'POST /api/v1/playground/runs/:runId/fixture': [...FUNCTIONS, 'GET /api/v1/playground/runs/:runId/fixture'],
  'PUT /api/v1/playground/inputs': INPUTS,
  'DELETE /api/v1/playground/inputs/:inputId': INPUTS,
  'POST /api/v1/playground/requests': INPUTS,

  'POST /api/v1/webhooks/incoming/:webhookId/replay': INCOMING,
  'POST /api/v1/webhooks/outgoing/:webhookId/replay': OUTGOING,
  'POST /api/v1/webhooks/outgoing/replay-failed': OUTGOING,
  'POST /api/v1/webhooks/outgoing/sample': OUTGOING,
  'POST /api/v1/webhook-destinations': ['GET /api/v1/webhook-destinations'],
  'PATCH /api/v1/webhook-destinations/:destinationId': ['GET /api/v1/webhook-destinations'],
  'DELETE /api/v1/webhook-destinations/:destinationId': ['GET /api/v1/webhook-destinations'],
  'POST /api/v1/webhook-destinations/:destinationId/test': OUTGOING,

  'POST /api/v1/keys': KEYS,
  'PATCH /api/v1/keys/:keyId': KEYS,
  'DELETE /api/v1/keys/:keyId': KEYS,
  'POST /api/v1/pairings/:pairingId': KEYS,
  'POST /api/v1/agent-sign-ins/:requestId/approve': KEYS,
  'POST /api/v1/agent-sign-ins/:requestId/deny': NOTHING,
  'PUT /api/v1/agents/programs/:program': ['GET /api/v1/agents/programs'],
  'DELETE /api/v1/agents/programs/:program': AGENTS,
  'POST /api/v1/agents/sessions': AGENTS,
  'PATCH /api/v1/agents/sessions/:sessionId': AGENTS,
  'POST /api/v1/agents/sessions/:sessionId/calls/:callId/undo': ['GET /api/v1/agents/sessions/:sessionId/calls'],
  'DELETE /api/v1/agents/sessions/:sessionId': AGENTS,
  // The command line only.
  'POST /api/v1/command-runs': NOTHING,
  'DELETE /api/v1/command-runs/:runId': NOTHING,
  'POST /api/v1/command-runs/:runId/stop': ['GET /api/v1/command-runs'],
  'POST /api/v1/mcp/approvals/:approvalId': MCP,
  'PUT /api/v1/mcp/decisions': MCP,
  'DELETE /api/v1/mcp/decisions': MCP,
  'POST /api/v1/records/query': [],
  'POST /api/v1/record-destinations': RECORD_DESTINATIONS,
  'POST /api/v1/record-destinations/test': [],
  'PATCH /api/v1/record-destinations/:destinationId': RECORD_DESTINATIONS,
  'DELETE /api/v1/record-destinations/:destinationId': RECORD_DESTINATIONS,
  'POST /api/v1/record-destinations/:destinationId/test': [],
  'POST /api/v1/record-destinations/:destinationId/pause': RECORD_DESTINATIONS,
  'POST /api/v1/record-destinations/:destinationId/resume': RECORD_DESTINATIONS,
  'POST /api/v1/record-destinations/:destinationId/retry': RECORD_DESTINATIONS,
  'POST /api/v1/record-destinations/:destinationId/replay': RECORD_DESTINATIONS,
  'PUT /api/v1/snapshots': ['GET /api/v1/snapshots'],
  'POST /api/v1/snapshots/run': ['GET /api/v1/snapshots'],
  'DELETE /api/v1/snapshots': ['GET /api/v1/snapshots'],
  'POST /api/v1/saved-queries': ['GET /api/v1/saved-queries'],
  'PATCH /api/v1/saved-queries/:queryId': ['GET /api/v1/saved-queries'],
  'DELETE /api/v1/saved-queries/:queryId': ['GET /api/v1/saved-queries'],
  'PUT /api/v1/limits': ['GET /api/v1/limits', 'GET /api/v1/agents/sessions'],
  'POST /api/v1/mcp/clients': MCP,
  'DELETE /api/v1/mcp/clients/:clientId': MCP,
  'POST /api/v1/notifications/read': ['GET /api/v1/notifications'],
  'POST /api/v1/notifications/update': NOTHING,
  'PUT /api/v1/notification-rules': NOTHING,

  'POST /api/v1/transfer/archive': NOTHING,
  'POST /api/v1/transfer/check-connections': NOTHING,
  'POST /api/v1/transfer/export': NOTHING,
  'POST /api/v1/transfer/import': ['all', ...PROVIDERS],
  'POST /api/v1/transfer/preview': NOTHING,
  'POST /api/v1/transfer/send': NOTHING,
};
