import {
  type Activity,
  type ActivityKind,
  type ActivityPeriod,
  type ActivityState,
  type AttentionItem,
  type FunctionDuration,
  PLANNED_SLOTS,
} from '../../../contract/dashboard/dashboard-overview.ts';
import { isoDate } from '../../../present/dates.ts';
import type { ActivityBucket } from '../../../services/logs/logs-service.ts';
import type { Attention } from '../../../services/overview/overview-service.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';

type Use = Pick<DashboardParts, 'catalog' | 'integrations' | 'overview'>;
type Keys =
  | 'GET /api/v1/overview/attention'
  | 'GET /api/v1/overview/activity'
  | 'GET /api/v1/overview/durations'
  | 'GET /api/v1/overview/planned';

const HOUR_MS = 3_600_000;
const PERIOD_MS: Record<ActivityPeriod, number> = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '14d': 14 * 24 * HOUR_MS,
  '90d': 90 * 24 * HOUR_MS,
};

export function overviewRoutes({ catalog, integrations, overview }: Use): DashboardHandlers<Keys> {
  const nameOf = (row: { integrationName: string | null; integrationKey: string; provider: string }): string =>
    row.integrationName ?? catalog.find(row.provider)?.display_name ?? row.integrationKey;
  return {
    'GET /api/v1/overview/attention': async ({ environment }) => {
      const found = await overview.listAttention(environment.id);
      const data = [...viewGivenUp(found.givenUp), ...found.problems.map((problem) => viewProblem(problem, nameOf))];
      data.sort((a, b) => b.at.localeCompare(a.at));
      return { data, total: found.total + (found.givenUp ? 1 : 0), checkedAt: isoDate(found.checkedAt) };
    },

    'GET /api/v1/overview/activity': async ({ environment, query }) => {
      const { from, to, bucketMs, buckets, end } = await overview.countActivity({
        environmentId: environment.id,
        periodMs: PERIOD_MS[query.period],
        timeZone: query.timeZone,
      });
      return { from: isoDate(from), to: isoDate(to), bucketMs, buckets: buckets.map(viewBucket), end: isoDate(end) };
    },

    'GET /api/v1/overview/durations': async ({ environment, query }) => {
      const [{ durations, total }, known] = await Promise.all([
        overview.listDurations(environment.id, PERIOD_MS[query.period]),
        integrations.list(environment.id),
      ]);
      const byKey = new Map(known.map((one) => [one.uniqueKey, one]));
      const data = durations.map(({ type, functionName, ...row }) => {
        const { displayName = null, provider = '' } = byKey.get(row.integrationKey) ?? {};
        return {
          ...row,
          integrationName: nameOf({ integrationName: displayName, integrationKey: row.integrationKey, provider }),
          provider,
          type: TYPE_OF_RUN[type] ?? 'sync',
          name: functionName,
        };
      });
      return { data, total };
    },

    'GET /api/v1/overview/planned': async ({ environment }) => {
      const { from, slotMs, planned, total, runs } = await overview.listPlanned(environment.id, PLANNED_SLOTS);
      const data = planned.map((row) => ({
        integrationKey: row.integrationKey,
        integrationName: nameOf(row),
        provider: row.provider,
        sync: row.sync,
        frequencyMs: row.frequencyMs,
        connections: row.connections,
        nextAt: isoDate(row.nextAt),
        slots: row.slots,
      }));
      return { from: isoDate(from), slotMs, data, total, runs };
    },
  };
}

/** Type of a function, by the operation type of its runs. */
const TYPE_OF_RUN: Record<string, FunctionDuration['type']> = { sync: 'sync', action: 'action', events: 'on-event' };

type Problem = Attention['problems'][number];

function viewProblem(problem: Problem, nameOf: (row: Problem) => string): AttentionItem {
  const { integrationKey, provider, connectionId, displayName, error, operationId } = problem;
  const facts = {
    integrationKey,
    integrationName: nameOf(problem),
    provider,
    connectionId,
    displayName,
    error,
    operationId,
    at: isoDate(problem.at),
  };
  if (problem.sync === null || problem.variant === null) return { kind: 'sign-in', ...facts };
  return { kind: 'sync', ...facts, sync: problem.sync, variant: problem.variant, failures: problem.failures };
}

function viewGivenUp(givenUp: Attention['givenUp']): AttentionItem[] {
  if (!givenUp) return [];
  const { id, url, code, error, finishedAt, createdAt } = givenUp.last;
  return [
    { kind: 'deliveries', count: givenUp.count, webhookId: id, url, code, error, at: isoDate(finishedAt ?? createdAt) },
  ];
}

/** Kinds of operations that a chart counts. Deployments and schedule commands are left out. */
const KINDS: Record<string, ActivityKind> = {
  'sync:run': 'sync',
  'action:run': 'action',
  'events:post_connection_creation': 'event',
  'events:pre_connection_deletion': 'event',
  'events:validate_connection': 'event',
  'webhook:incoming': 'webhook',
  'webhook:forward': 'webhook',
  'webhook:sync': 'webhook',
  'webhook:connection_create': 'webhook',
  'webhook:connection_refresh': 'webhook',
  'proxy:call': 'proxy',
  'auth:create_connection': 'sign-in',
  'auth:refresh_token': 'renewal',
};

function viewBucket(bucket: ActivityBucket & { databaseBytes: number | null }): Activity['buckets'][number] {
  const { at, counts, calls, records, databaseBytes } = bucket;
  const shown: Activity['buckets'][number]['counts'] = {};
  for (const { type, action, state, count } of counts) {
    const kind = KINDS[`${type}:${action}`];
    if (!kind) continue;
    const name = state === 'waiting' ? 'running' : (state as ActivityState);
    shown[kind] = { ...shown[kind], [name]: (shown[kind]?.[name] ?? 0) + count };
  }
  return {
    at: isoDate(at),
    counts: shown,
    calls: calls.map(({ provider, statusClass, calls: count }) => ({ provider, statusClass, calls: count })),
    records: {
      added: sumOf(records.map((one) => one.added)),
      updated: sumOf(records.map((one) => one.updated)),
      deleted: sumOf(records.map((one) => one.deleted)),
    },
    databaseBytes,
  };
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
