import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import type { DashboardEventName } from '../contract.ts';
import { routeKey } from '../route-query.ts';
import { connectCache } from './connect-cache.ts';

describe('the queries of a page when an event arrives', () => {
  it.each([
    ['pairing', { id: '1' }, routeKey('dev', 'GET /api/v1/pairings')],
    ['sync', { integrationKey: 'practice', connectionId: 'me' }, routeKey('dev', 'GET /api/v1/overview/attention')],
    [
      'operation',
      { id: '1', operation: { type: 'sync' }, error: { message: 'It failed' } },
      routeKey('dev', 'GET /api/v1/overview/attention'),
    ],
    [
      'operation',
      { id: '1', operation: { type: 'sync' } },
      routeKey('dev', 'GET /api/v1/logs/operations/:operationId', { params: { operationId: '1' } }),
    ],
    ['reset', {}, routeKey('dev', 'GET /api/v1/functions')],
  ])('is asked for again, also while the first answer is still on its way: %s', async (name, data, queryKey) => {
    const client = new QueryClient();
    const cache = connectCache(client, 'dev');
    const responses: Array<(rows: string[]) => void> = [];
    const observer = new QueryObserver(client, {
      queryKey,
      queryFn: () => new Promise<string[]>((resolve) => responses.push(resolve)),
    });
    const unsubscribe = observer.subscribe(() => {});

    cache.apply(name as DashboardEventName, data as never);
    await expect.poll(() => client.getQueryState(queryKey)?.isInvalidated).toBe(true);
    responses[0]?.([]);
    await expect.poll(() => responses.length).toBe(2);
    responses[1]?.(['read after the event']);

    await expect.poll(() => observer.getCurrentResult().data).toEqual(['read after the event']);
    unsubscribe();
    cache.stop();
    client.clear();
  });
});
