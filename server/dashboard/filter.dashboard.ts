import type { Environment } from '../environments/environment.service.ts';
import type { DashboardParts } from './api/dashboard-parts.ts';
import type { DashboardHandlers } from './api/dashboard-route.ts';
import type { FilterName, FilterValue } from './dashboard-bulk.contract.ts';

type Use = Pick<
  DashboardParts,
  'audit' | 'catalog' | 'connections' | 'deployments' | 'incoming' | 'integrations' | 'logs' | 'notifications'
>;
type Counted = { key: string; count: number };

const MAX_VALUES = 20;

export function filterRoutes(use: Use): DashboardHandlers<'GET /api/v1/filter-values'> {
  return {
    'GET /api/v1/filter-values': async ({ environment, query }) => {
      const needle = query.search?.trim().toLowerCase() ?? '';
      const counted = await count(use, environment, { of: query.of, search: needle, integration: query.integration });
      const names = await listNames(use, environment, { of: query.of, keys: counted.map(({ key }) => key) });
      const values = counted.map(({ key, count: rows }): FilterValue => {
        const known = names?.get(key);
        return { value: key, label: known?.label ?? null, provider: known?.provider ?? null, count: rows };
      });
      const fits = ({ value, label }: FilterValue): boolean =>
        [value, label].some((text) => text?.toLowerCase().includes(needle));
      values.sort((a, b) => b.count - a.count || (a.label ?? a.value).localeCompare(b.label ?? b.value));
      return { data: values.filter(fits).slice(0, MAX_VALUES) };
    },
  };
}

/** How people call the values, where they are keys. */
async function listNames(
  { catalog, connections, integrations }: Use,
  environment: Environment,
  { of, keys }: { of: FilterName; keys: readonly string[] },
): Promise<ReadonlyMap<string, { provider: string; label: string | null }> | undefined> {
  if (of.endsWith('.connections')) {
    const all = await connections.listCustomers(environment.id, keys);
    return new Map(all.map(({ connectionId, provider, name }) => [connectionId, { provider, label: name }]));
  }
  if (!of.endsWith('.integrations')) return undefined;
  const all = await integrations.list(environment.id);
  return new Map(
    all.map(({ displayName, provider, uniqueKey }) => [
      uniqueKey,
      { provider, label: displayName ?? catalog.find(provider)?.display_name ?? provider },
    ]),
  );
}

/**
 * Returns the values with their row counts in this environment. Where there may be thousands, only those that match the
 * search.
 */
async function count(
  use: Use,
  { id }: Environment,
  { of, search, integration }: { of: FilterName; search: string; integration: string | undefined },
): Promise<Counted[]> {
  switch (of) {
    case 'connections.integrations': {
      const [usage, all] = await Promise.all([use.connections.listUsage(id), use.integrations.list(id)]);
      const counts = new Map(usage.map(({ integrationId, connections }) => [integrationId, connections]));
      return all.map((one) => ({ key: one.uniqueKey, count: counts.get(one.id) ?? 0 }));
    }
    case 'connections.authModes':
      return use.connections.countByAuthMode(id);
    case 'connections.tags':
      return use.connections.countByTag(id, search);
    case 'functions.integrations':
      return tally(await use.deployments.listWithoutRuns(id), (one) => one.integrationKey);
    case 'functions.types':
      return tally(await use.deployments.listWithoutRuns(id), (one) => one.type);
    case 'integrations.authModes':
      return tally(await use.integrations.list(id), (one) => use.catalog.find(one.provider)?.auth_mode ?? 'NONE');
    case 'integrations.categories': {
      const all = await use.integrations.list(id);
      return tally(
        all.flatMap((one) => use.catalog.find(one.provider)?.categories ?? []),
        (category) => category,
      );
    }
    case 'operations.integrations':
      return use.logs.listFilterValues({ environmentId: id, category: 'integration' });
    case 'operations.connections':
      return use.logs.listFilterValues({ environmentId: id, category: 'connection', search, integration });
    case 'operations.functions':
      return use.logs.listFilterValues({ environmentId: id, category: 'function', search, integration });
    case 'incoming.integrations':
      return use.incoming.archive.countByIntegration(id);
    case 'incoming.connections':
      return use.incoming.archive.countByConnection(id, { search, integration });
    case 'outgoing.integrations':
      return use.notifications.history.countBy(id, { member: 'integration' });
    case 'outgoing.connections':
      return use.notifications.history.countBy(id, { member: 'connection', search, integration });
    case 'audit.apps':
      return use.audit.countBy(id, 'app');
    case 'audit.integrations':
      return use.audit.countBy(id, 'integration');
  }
}

function tally<Row>(rows: readonly Row[], key: (row: Row) => string): Counted[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  return [...counts].map(([name, rowsOfIt]) => ({ key: name, count: rowsOfIt }));
}
