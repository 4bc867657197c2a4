import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { AttentionItem } from '../../server/dashboard/dashboard-overview.contract.ts';
import type { Handler } from './dashboard-fixture-lists.ts';
import type { FixtureState } from './dashboard-fixture-state.ts';

type Keys = Extract<DashboardRouteKey, `${string} /api/v1/overview${string}`>;

const HOUR = 3_600_000;
const PERIODS = { '1h': 1, '24h': 24, '7d': 168, '14d': 336, '90d': 2160 };

function attention(state: FixtureState): AttentionItem[] {
  const failing = state.connections.filter(({ detail }) => detail.errors.length > 0).slice(0, 3);
  const lines = failing.map(({ detail }, index): AttentionItem => {
    const { integrationKey, integrationName, provider, connectionId, displayName } = detail;
    const at = new Date(state.now - (index + 1) * 12 * 60_000).toISOString();
    const facts = {
      integrationKey,
      integrationName,
      provider,
      connectionId,
      displayName,
      at,
      operationId: `op-${index}`,
      count: 1,
      connections: [{ connectionId, displayName, variant: null, operationId: `op-${index}`, at }],
    };
    const refused = 'Refresh token was rejected: invalid_grant';
    return detail.errors.some(({ type }) => type === 'auth')
      ? { kind: 'sign-in', ...facts, cause: `sign-in ${index}`, error: refused, reason: refused, refusal: null }
      : {
          kind: 'sync',
          ...facts,
          cause: `sync ${index}`,
          error: '429 Too Many Requests after 3 attempts',
          reason: '429 on GET /v2/invoices',
          refusal: { method: 'GET', path: '/v2/invoices', code: 429, times: 3 },
          sync: 'fetch-invoices',
          variant: 'base',
          failures: 3,
        };
  });
  if (lines.length > 0)
    lines.push({
      kind: 'deliveries',
      cause: 'webhooks',
      count: 4,
      reason: 'HTTP 503',
      webhookId: 'w1',
      url: 'http://localhost:4000/hooks',
      code: 503,
      error: null,
      at: new Date(state.now - HOUR).toISOString(),
    });
  return lines;
}

/** The overview of the fixture's state: a realistic day. */
export const overviewHandlers: { [K in Keys]: Handler<K> } = {
  'GET /api/v1/overview/attention': (_, state) => {
    const data = attention(state);
    return { data, total: data.length, checkedAt: new Date(state.now).toISOString() };
  },
  'POST /api/v1/overview/causes': () => ({ count: 1, failed: 0 }),
  'GET /api/v1/overview/activity': ({ query }, state) => {
    const hours = PERIODS[query.period];
    const bucketMs = hours <= 6 ? HOUR / 60 : hours <= 336 ? HOUR : 24 * HOUR;
    const from = state.now - hours * HOUR;
    const first = Math.floor(from / bucketMs);
    const count = Math.floor(state.now / bucketMs) - first + 1;
    const buckets = Array.from({ length: count }, (_, index) => {
      const wave = state.operations.length === 0 ? 0 : Math.round(40 + 25 * Math.sin(index / 3));
      const failed = index % 7 === 2 ? Math.round(wave / 6) : 0;
      const counts: Record<string, Record<string, number>> = wave === 0
        ? {}
        : {
            sync: { success: wave, failed, ...(index % 11 === 5 ? { timeout: 4 } : {}) },
            action: { success: Math.round(wave / 4), failed: index % 5 === 1 ? 2 : 0 },
            proxy: { success: wave * 12, failed: failed * 8 },
            webhook: { success: 9, failed: index % 9 === 4 ? 3 : 0 },
            'sign-in': { success: index % 4 === 1 ? 1 : 0 },
            renewal: { success: Math.round(wave / 8), failed: index % 10 === 7 ? 1 : 0 },
          };
      const calls =
        wave === 0
          ? []
          : ['hubspot', 'slack', 'zendesk'].flatMap((provider, place) => [
              { provider, statusClass: 2, calls: (wave * 12) / 3 },
              { provider, statusClass: place === 1 ? 4 : 5, calls: failed * 2 },
            ]);
      const records = { added: wave * 9, updated: wave * 4, deleted: index % 6 === 3 ? wave : 0 };
      const databaseBytes = state.operations.length === 0 ? null : 41_000_000 + index * 180_000;
      return { at: new Date((first + index) * bucketMs).toISOString(), counts, calls, records, databaseBytes };
    });
    const iso = (ms: number): string => new Date(ms).toISOString();
    return { from: iso(from), to: iso(state.now), bucketMs, buckets, end: iso((first + count) * bucketMs) };
  },
  'GET /api/v1/overview/durations': (_, state) => {
    const data = state.functions
      .filter(({ status }) => status === 'ok')
      .map((fn, index) => ({
        integrationKey: fn.integrationKey,
        integrationName: fn.integrationKey,
        provider: fn.provider ?? '',
        type: fn.type,
        name: fn.name,
        runs: 400 - index * 31,
        succeeded: 396 - index * 31,
        p50Ms: 2_600 / (index + 1),
        p95Ms: 8_400 / (index + 1),
        maxMs: 31_000 / (index + 1),
      }));
    return { data: state.operations.length === 0 ? [] : data.slice(0, 20), total: data.length };
  },
  'GET /api/v1/overview/planned': (_, state) => {
    const paces = [1, 2, 6, 24];
    const syncs = state.functions
      .filter(({ type, status }) => type === 'sync' && status === 'ok')
      .slice(0, paces.length);
    const data = syncs.map((fn, index) => {
      const every = paces[index] ?? 1;
      const slots = Array.from({ length: 96 }, (_, slot) => ((slot - index) % (every * 4) === 0 ? 1 + index : 0));
      return {
        integrationKey: fn.integrationKey,
        integrationName:
          state.integrations.find(({ key }) => key === fn.integrationKey)?.displayName ?? fn.integrationKey,
        provider: fn.provider ?? fn.integrationKey,
        sync: fn.name,
        frequencyMs: every * HOUR,
        connections: 1 + index,
        nextAt: new Date(state.now + index * 15 * 60_000).toISOString(),
        slots,
      };
    });
    const runs = data.reduce((sum, { slots }) => sum + slots.reduce((total, one) => total + one, 0), 0);
    return { from: new Date(state.now).toISOString(), slotMs: HOUR / 4, data, total: data.length, runs };
  },
};
