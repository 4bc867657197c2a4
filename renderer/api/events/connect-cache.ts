import { partialMatchKey, type Query, type QueryClient } from '@tanstack/react-query';
import type { ApprovalRow, DashboardEvent, DashboardEventName, Meta } from '../contract.ts';
import { metaQueryOptions } from '../hub/hub-queries.ts';
import { operationQueryOptions } from '../logs/logs-queries.ts';
import { EVENTS, refreshedKey } from '../refreshes.ts';
import { routeKey } from '../route-query.ts';

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
    void refresh(client, [...waiting.values()]);
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
 * Refetches the queries that are shown. The cache is searched once, however many keys there are. An invalidation does not
 * restart a first fetch that is still running, and its response may be older than the event: such a query is refetched
 * once its response has arrived.
 */
async function refresh(client: QueryClient, keys: ReadonlyArray<readonly unknown[]>): Promise<void> {
  const predicate = ({ queryKey }: Query): boolean => keys.some((key) => partialMatchKey(queryKey, key));
  const first = client
    .getQueryCache()
    .findAll({ predicate, fetchStatus: 'fetching' })
    .filter(({ state }) => state.data === undefined);
  await client.invalidateQueries({ predicate });
  const again = first.map(async (query) => {
    // The failure is shown by the component that reads the query.
    await query.promise?.catch(() => undefined);
    await client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
  await Promise.all(again);
}

/** Changes cached data as an event says that carries a whole object. */
function patch(client: QueryClient, env: string, name: DashboardEventName, event: unknown): void {
  if (name === 'health') {
    client.setQueryData(metaQueryOptions().queryKey, (meta) => meta && { ...meta, health: event as Meta['health'] });
  } else if (name === 'operation') {
    const operation = event as DashboardEvent<'operation'>;
    const { queryKey } = operationQueryOptions(env, operation.id);
    const state = client.getQueryState(queryKey);
    if (!state) return;
    client.setQueryData(queryKey, (old) => old && { ...old, ...operation });
    // A response on its way may be older than the event, and would replace it.
    if (state.fetchStatus === 'fetching') void refresh(client, [queryKey]);
  } else if (name === 'approval') {
    const { id, approval } = event as DashboardEvent<'approval'>;
    client.setQueryData<{ data: ApprovalRow[] }>(routeKey(env, 'GET /api/v1/mcp/approvals'), (old) => {
      const others = (old?.data ?? []).filter((one) => one.id !== id);
      return { data: approval ? [...others, approval] : others };
    });
  }
}

/** Applies events that carry a whole object, and refetches what the table of changes says of them. */
export function connectCache(client: QueryClient, env: string) {
  const lists = createInvalidator(client, QUIET_MS);
  const charts = createInvalidator(client, CHART_QUIET_MS);
  return {
    apply: (name: DashboardEventName, event: never): void => {
      patch(client, env, name, event);
      const { now = [], soon = [], slowly = [] } = EVENTS[name](event);
      if (now.length > 0)
        void refresh(
          client,
          now.map((topic) => refreshedKey(env, topic)),
        );
      for (const topic of soon) lists.add(refreshedKey(env, topic));
      for (const topic of slowly) charts.add(refreshedKey(env, topic));
    },
    stop: (): void => {
      lists.stop();
      charts.stop();
    },
  };
}
