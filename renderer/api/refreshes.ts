import type { DashboardEvent, DashboardEventName } from '../../server/contract/dashboard/dashboard-events.ts';
import { environmentKey, type ReadRoute, routeKey } from './route-query.ts';

/**
 * What changes what: for each event and each request that changes something, the routes whose answers are read again.
 * `runs` are short lists of operations; the log has live rows instead, and is not read again. `all` is everything of the
 * environment, `everywhere` everything of every environment.
 */
export type Topic = ReadRoute | 'runs' | 'all' | 'everywhere';
/** A topic, if need be with the parts of the input that a query must have: those of one connection, for example. */
export type Refreshed = Topic | readonly [ReadRoute, { params?: object; query?: object }];

export const CONNECTIONS = ['GET /api/v1/connections', 'GET /api/v1/connections/count'] as const;
export const INTEGRATIONS = [
  'GET /api/v1/integrations',
  'GET /api/v1/integrations/:integrationKey',
  'GET /api/v1/integrations/:integrationKey/changes',
] as const;
const MODELS = 'GET /api/v1/connections/:integrationKey/:connectionId/models';
export const RECORDS = [
  'GET /api/v1/connections/:integrationKey/:connectionId/records',
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId',
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/versions',
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/diff',
] as const;
export const RUNS = ['runs', 'GET /api/v1/functions/:integrationKey/sync/:name/connections'] as const;
/** The history of records is not among them: it would be counted again with every batch of a run. */
export const HISTORY = 'GET /api/v1/connections/:integrationKey/:connectionId/history';
/** One connection and what belongs to it. */
export const CONNECTION = [
  'GET /api/v1/connections/:integrationKey/:connectionId',
  'GET /api/v1/sync',
  'GET /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant/next-runs',
  MODELS,
  ...RECORDS,
  HISTORY,
] as const;
/** Not among them: the code of a version, which never changes. */
export const FUNCTIONS = [
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
export const MCP = [
  'GET /api/v1/mcp/approvals',
  'GET /api/v1/mcp/clients',
  'GET /api/v1/mcp/decisions',
  'GET /api/v1/mcp/calls',
  'GET /api/v1/mcp/tools',
] as const;
export const INCOMING = ['GET /api/v1/webhooks/incoming'] as const;
export const OUTGOING = ['GET /api/v1/webhooks/outgoing'] as const;
export const ATTENTION = 'GET /api/v1/overview/attention';

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
  audit: () => ({ soon: ['GET /api/v1/audit', 'GET /api/v1/keys'] }),
  notification: () => ({ soon: ['GET /api/v1/notifications'] }),
  reset: () => ({ now: ['all'] }),
};

/** Prefix of the keys of what is read again. */
export function refreshedKey(env: string, refreshed: Refreshed): readonly unknown[] {
  const [topic, input] = typeof refreshed === 'string' ? [refreshed] : refreshed;
  if (topic === 'all') return environmentKey(env);
  if (topic === 'everywhere') return environmentKey();
  return topic === 'runs' ? routeKey(env, 'GET /api/v1/logs/operations', {}, topic) : routeKey(env, topic, input);
}

/** What a locked hub answers as well. */
const READABLE = new Set<string>([
  ...CONNECTIONS,
  'GET /api/v1/connections/:integrationKey/:connectionId',
  'GET /api/v1/sync',
  'GET /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant/next-runs',
  MODELS,
  ...FUNCTIONS,
  'GET /api/v1/integrations',
  'GET /api/v1/keys',
  'GET /api/v1/pairings',
]);

/** Whether a locked hub answers the query as well: its data holds nothing sealed, so that forms over it may stay. */
export const answersWhenLocked = ([, , route]: readonly unknown[]): boolean => READABLE.has(String(route));
