import type { ConnectionDetail } from '../../server/connections/dashboard-connections.contract.ts';
import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { FilterName } from '../../server/dashboard/dashboard-bulk.contract.ts';
import type { Handler } from './dashboard-fixture-lists.ts';
import type { FixtureState } from './dashboard-fixture-state.ts';

type Keys =
  | 'POST /api/v1/connections/bulk'
  | 'POST /api/v1/connections/test'
  | 'POST /api/v1/functions/bulk'
  | 'GET /api/v1/filter-values';

const valuesOf = (state: FixtureState, of: FilterName, integration?: string): Array<string | null> => {
  const isOf = (key: string | null): boolean => integration === undefined || integration === key;
  switch (of) {
    case 'connections.integrations':
      return state.connections.map(({ detail }) => detail.integrationKey);
    case 'connections.authModes':
      return state.connections.map(({ detail }) => detail.authMode);
    case 'connections.tags':
      return state.connections.flatMap(({ detail }) =>
        Object.entries(detail.tags).map(([name, value]) => `${name}: ${value}`),
      );
    case 'functions.integrations':
      return state.functions.map((one) => one.integrationKey);
    case 'functions.types':
      return state.functions.map((one) => one.type);
    case 'integrations.authModes':
      return state.integrations.map((one) => one.authMode);
    case 'integrations.categories':
      return state.integrations.flatMap(
        (one) => state.providers.find(({ name }) => name === one.provider)?.categories ?? [],
      );
    case 'operations.integrations':
      return state.operations.map((one) => one.integrationName);
    case 'operations.connections':
      return state.operations.filter((one) => isOf(one.integrationName)).map((one) => one.connectionName);
    case 'operations.functions':
      return state.operations.filter((one) => isOf(one.integrationName)).map((one) => one.syncConfigName);
    case 'incoming.integrations':
      return state.incoming.map((one) => one.integrationKey);
    case 'incoming.connections':
      return state.incoming.filter((one) => isOf(one.integrationKey)).flatMap((one) => one.connectionIds);
    case 'outgoing.integrations':
      return state.webhooks.map((one) => one.integrationKey);
    case 'outgoing.connections':
      return state.webhooks.filter((one) => isOf(one.integrationKey)).map((one) => one.connectionId);
    case 'audit.apps':
    case 'audit.integrations':
      return [];
  }
};

/** A status that is worse than `paused` stays, as in the hub. */
function setPaused(detail: ConnectionDetail, isPaused: boolean): void {
  detail.pausedSyncCount = isPaused ? detail.syncCount : 0;
  if (detail.status === 'ok' || detail.status === 'paused') detail.status = isPaused ? 'paused' : 'ok';
}

/** Commands for many rows and the options of filters, over the fixture's state. */
export const bulkHandlers: { [K in Extract<DashboardRouteKey, Keys>]: Handler<K> } = {
  'POST /api/v1/connections/bulk': ({ body }, state) => ({
    problems: body.targets.map(({ integrationKey, connectionId }) => {
      const found = state.connections.find(
        ({ detail }) => detail.integrationKey === integrationKey && detail.connectionId === connectionId,
      );
      if (!found) return { code: 'not_found', message: `There is no connection "${connectionId}".` };
      if (body.command === 'delete') state.connections = state.connections.filter((one) => one !== found);
      if (body.command === 'pause' || body.command === 'resume') setPaused(found.detail, body.command === 'pause');
      if (body.command === 'tag') Object.assign(found.detail.tags, body.tags);
      if (body.command === 'refresh' && !found.detail.isRefreshable)
        return { code: 'invalid_credentials', message: 'These credentials have nothing to refresh.' };
      return null;
    }),
  }),
  'POST /api/v1/connections/test': ({ body }, state) => ({
    results: body.targets.map(({ connectionId }) => {
      const found = state.connections.find(({ detail }) => detail.connectionId === connectionId);
      const [operation] = state.operations;
      const message = 'The provider refused the credentials (status 401). Check them and try again.';
      return found?.detail.status === 'auth_error'
        ? { outcome: 'refused' as const, message, operationId: operation?.id ?? null }
        : { outcome: 'accepted' as const, message: null, operationId: null };
    }),
  }),
  'POST /api/v1/functions/bulk': ({ body }, state) => {
    const found = body.targets.map((target) =>
      state.functions.find(
        (fn) => fn.integrationKey === target.integrationKey && fn.type === target.type && fn.name === target.name,
      ),
    );
    const changed = found.map((one) => one !== undefined && one.isEnabled !== body.isEnabled);
    for (const one of found) if (one) one.isEnabled = body.isEnabled;
    return {
      changed,
      problems: found.map((one, index) =>
        one ? null : { code: 'not_found', message: `There is no function "${body.targets[index]?.name}".` },
      ),
    };
  },
  'GET /api/v1/filter-values': ({ query }, state) => {
    const counts = new Map<string, number>();
    for (const value of valuesOf(state, query.of, query.integration))
      if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
    const isIntegration = query.of.endsWith('.integrations');
    const data = [...counts].map(([value, count]) => {
      const known = isIntegration ? state.integrations.find((one) => one.key === value) : undefined;
      return { value, label: known?.displayName ?? null, provider: known?.provider ?? null, count };
    });
    const needle = query.search?.toLowerCase() ?? '';
    return {
      data: data
        .filter(({ value, label }) => `${value} ${label ?? ''}`.toLowerCase().includes(needle))
        .sort((a, b) => b.count - a.count)
        .slice(0, 20),
    };
  },
};
