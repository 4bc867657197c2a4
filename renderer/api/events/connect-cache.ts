import type { QueryClient } from '@tanstack/react-query';
import type { ApprovalRow, Meta, OperationDetailResponse } from '../contract.ts';
import { keys } from '../query-keys.ts';
import type { EventStream } from './event-stream.ts';

/** Lists are refetched at most this often, however many events arrive. */
const QUIET_MS = 700;
/** Charts count over the whole log and are redrawn, so under load they are refetched less often. */
const CHART_QUIET_MS = 5000;

/** Collects invalidations and sends them together, so that a burst of events causes one request per list. */
function createInvalidator(client: QueryClient, quietMs: number): { add(key: readonly unknown[]): void; stop(): void } {
  const waiting = new Map<string, readonly unknown[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    for (const queryKey of waiting.values()) void refresh(client, queryKey);
    waiting.clear();
  };
  return {
    add(key) {
      waiting.set(JSON.stringify(key), key);
      timer ??= setTimeout(flush, quietMs);
    },
    stop: () => clearTimeout(timer),
  };
}

/**
 * Refetches the queries that are shown. An invalidation does not restart a first fetch that is still running, and its
 * response may be older than the event: such a query is refetched once its response has arrived.
 */
async function refresh(client: QueryClient, queryKey: readonly unknown[]): Promise<void> {
  const first = client
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching' })
    .filter(({ state }) => state.data === undefined);
  await client.invalidateQueries({ queryKey });
  const again = first.map(async (query) => {
    // The failure is shown by the component that reads the query.
    await query.promise?.catch(() => undefined);
    await client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
  await Promise.all(again);
}

/** Applies events that carry a whole object and invalidates the other queries they concern. */
export function connectCache(stream: EventStream, client: QueryClient, env: string): () => void {
  const invalidator = createInvalidator(client, QUIET_MS);
  const charts = createInvalidator(client, CHART_QUIET_MS);
  const offs = [
    stream.on('health', (health) => {
      client.setQueryData<Meta>(keys.meta, (meta) => meta && { ...meta, health });
    }),
    stream.on('operation', (operation) => {
      const detail = keys.operation(env, operation.id);
      client.setQueryData<OperationDetailResponse>(detail, (old) => old && { ...old, ...operation });
      // A response on its way may be older than the event, and would replace it.
      if (client.isFetching({ queryKey: detail, exact: true }) > 0) void refresh(client, detail);
      if (operation.operation.type !== 'proxy') invalidator.add(keys.runs(env));
      // The text of an error is stored with the operation, after the event of the sync or the connection.
      if (operation.error && ['sync', 'auth'].includes(operation.operation.type)) invalidator.add(keys.attention(env));
      charts.add(keys.activity(env));
    }),
    stream.on('message', ({ operationId }) => invalidator.add(keys.messages(env, operationId))),
    stream.on('connection', ({ integrationKey, connectionId, change }) => {
      invalidator.add(keys.connections(env));
      invalidator.add(keys.integrations(env));
      invalidator.add(keys.attention(env));
      if (change !== 'deleted') invalidator.add(keys.connection(env, { integrationKey, connectionId }));
    }),
    stream.on('sync', ({ integrationKey, connectionId }) => {
      invalidator.add(keys.connections(env));
      invalidator.add(keys.syncs(env, { integrationKey, connectionId }));
      invalidator.add(keys.attention(env));
      charts.add(keys.planned(env));
    }),
    stream.on('records', ({ integrationKey, connectionId, model }) => {
      const connection = { integrationKey, connectionId };
      invalidator.add(keys.models(env, connection));
      invalidator.add(keys.records(env, connection, model));
    }),
    stream.on('function', () => {
      invalidator.add(keys.functions(env));
      // Integrations count functions, and actions are MCP tools.
      invalidator.add(keys.integrations(env));
      invalidator.add(keys.mcpTools(env));
    }),
    stream.on('approval', ({ id, approval }) => {
      client.setQueryData<{ data: ApprovalRow[] }>(keys.approvals(env), (old) => {
        const others = (old?.data ?? []).filter((one) => one.id !== id);
        return { data: approval ? [...others, approval] : others };
      });
      void refresh(client, keys.mcp(env));
    }),
    stream.on('webhook', ({ direction, id }) => {
      const isIncoming = direction === 'incoming';
      invalidator.add(isIncoming ? keys.incomingWebhooks(env) : keys.outgoingWebhooks(env));
      if (!isIncoming) {
        // What became of a provider's webhook depends on its forwards.
        invalidator.add(keys.incomingWebhooks(env));
        invalidator.add(keys.attention(env));
        // Incoming webhooks show the state of their forwarding.
        invalidator.add(keys.incomingWebhooks(env));
      }
      invalidator.add(isIncoming ? keys.incomingWebhook(env, id) : keys.outgoingWebhook(env, id));
    }),
    stream.on('key', () => invalidator.add(keys.apiKeys(env))),
    stream.on('pairing', () => void refresh(client, keys.pairings(env))),
    stream.on('audit', () => {
      invalidator.add(keys.audit(env));
      invalidator.add(keys.apiKeys(env));
    }),
    stream.on('notification', () => invalidator.add(keys.notifications(env))),
    stream.on('reset', () => void refresh(client, keys.environment(env))),
  ];
  return () => {
    invalidator.stop();
    charts.stop();
    for (const off of offs) off();
  };
}
