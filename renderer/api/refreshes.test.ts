import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { dashboardEvents } from '../../server/contract/dashboard/dashboard-events.ts';
import { type DashboardRouteKey, dashboardRoutes } from '../../server/contract/dashboard/dashboard-routes.ts';
import { refreshAfter } from './refresh-after.ts';
import { ANSWERS, CHANGES, EVENTS, refreshedKey, type Topic } from './refreshes.ts';
import { isOfHub, type ReadRoute, routeKey } from './route-query.ts';

const routes = Object.keys(dashboardRoutes) as DashboardRouteKey[];
const readRoutes = routes.filter((route) => route.startsWith('GET ')) as ReadRoute[];
const OTHERS = ['runs', 'all', 'everywhere'];

/** Read each time, polled, or never different: nothing has to read their answer again. */
const NOT_REFRESHED = [
  'GET /api/v1/agent-sign-ins/:requestId',
  'GET /api/v1/agents/offers',
  'GET /api/v1/agents/programs/:program/change',
  'GET /api/v1/diagnostics',
  'GET /api/v1/filter-values',
  'GET /api/v1/functions/:integrationKey/:type/:name/versions/:versionId',
  'GET /api/v1/logs/har',
  'GET /api/v1/logs/histogram',
  'GET /api/v1/logs/operations',
  'GET /api/v1/logs/operations/:operationId',
  'GET /api/v1/logs/operations/:operationId/recordings/:recordingId',
  'GET /api/v1/notification-rules',
  'GET /api/v1/provider-changes',
  'GET /api/v1/records/:recordId',
  'GET /api/v1/record-views',
  'GET /api/v1/environments/current',
];

/** The topics of every kind of an event. */
function topicsOfEvents(): Topic[] {
  const data = [
    { operation: { type: 'sync' }, error: { message: 'It failed' } },
    { operation: { type: 'proxy' } },
    { operationId: '1', integrationKey: 'a', connectionId: 'b', model: 'M', change: 'updated', direction: 'incoming' },
    { integrationKey: 'a', connectionId: 'b', change: 'deleted', direction: 'outgoing', operation: {} },
  ];
  return Object.values(EVENTS).flatMap((paces) =>
    data.flatMap((event) => {
      const { now = [], soon = [], slowly = [] } = paces({ operation: {}, ...event } as never);
      return [...now, ...soon, ...slowly].map((one) => (typeof one === 'string' ? one : one[0]));
    }),
  );
}

describe('what changes what', () => {
  it('has a row for every route that changes something, and for every event', () => {
    expect(Object.keys(CHANGES).toSorted()).toEqual(routes.filter((route) => !route.startsWith('GET ')).toSorted());
    expect(Object.keys(EVENTS).toSorted()).toEqual(Object.keys(dashboardEvents).toSorted());
  });

  it('names routes that exist, and all whose answers can change', () => {
    const named = new Set([...Object.values(CHANGES).flat(), ...topicsOfEvents()]);
    for (const topic of named) expect([...readRoutes, ...OTHERS]).toContain(topic);
    expect(readRoutes.filter((route) => !named.has(route)).toSorted()).toEqual(NOT_REFRESHED.toSorted());
  });

  it('takes the answer of a request for that of a route with the same parameters', () => {
    for (const [route, read] of Object.entries(ANSWERS)) {
      const named = read.match(/:\w+/g) ?? [];
      expect(route.match(/:\w+/g) ?? []).toEqual(named);
    }
  });
});

describe('the key of a route', () => {
  it('is of the environment exactly if the route takes one', () => {
    for (const route of routes) {
      const { query } = dashboardRoutes[route] as { query?: { shape: object } };
      expect([route, isOfHub(route)]).toEqual([route, !('env' in (query?.shape ?? {}))]);
    }
  });

  it('stands with less input for all keys that have at least that', async () => {
    const client = new QueryClient();
    const of = (connectionId: string) =>
      routeKey('dev', 'GET /api/v1/connections/:integrationKey/:connectionId', {
        params: { integrationKey: 'github', connectionId, other: 'member of a row' },
      });
    const list = routeKey('dev', 'GET /api/v1/connections', { query: { search: 'a' } });
    const runs = refreshedKey('dev', 'runs');
    const inProd = routeKey('prod', 'GET /api/v1/connections');
    const known = { a: of('a'), b: of('b'), list, runs, inProd };
    for (const queryKey of Object.values(known)) client.setQueryData(queryKey, {});
    const invalidated = () =>
      Object.entries(known)
        .filter(([, key]) => client.getQueryState(key)?.isInvalidated)
        .map(([name]) => name);

    const params = { integrationKey: 'github', connectionId: 'a' };
    const route = '/api/v1/connections/:integrationKey/:connectionId' as const;
    await refreshAfter(client, 'dev', { route: `PATCH ${route}`, params, answer: { saved: true } });
    expect(invalidated()).toEqual(['list']);
    expect(client.getQueryData(of('a'))).toEqual({ saved: true });
    // After a refusal, what is stored now may be why.
    await refreshAfter(client, 'dev', { route: `PATCH ${route}`, params });
    expect(invalidated()).toEqual(['a', 'list']);

    await refreshAfter(client, 'dev', {
      route: `DELETE ${route}`,
      params: { ...params, other: 'member of a row' },
      answer: {},
    });
    expect(client.getQueryData(of('a'))).toBeUndefined();
    expect(client.getQueryData(of('b'))).toBeDefined();

    await refreshAfter(client, 'dev', { route: 'POST /api/v1/practice', answer: {} });
    expect(invalidated()).toEqual(['b', 'list', 'runs']);
    client.clear();
  });
});
