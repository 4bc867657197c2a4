import type { Environment } from '../environments/environment.service.ts';
import type { ActivityBucket } from '../log/logs.service.ts';
import { isoDate } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { DashboardParts } from './api/dashboard-parts.ts';
import type { DashboardHandlers } from './api/dashboard-route.ts';
import {
  type Activity,
  type ActivityKind,
  type ActivityPeriod,
  type ActivityState,
  type AttentionItem,
  type CauseCommand,
  type FunctionDuration,
  MAX_CAUSE_CONNECTIONS,
  PLANNED_SLOTS,
} from './dashboard-overview.contract.ts';
import type { Attention } from './overview.service.ts';

type Use = Pick<DashboardParts, 'catalog' | 'integrations' | 'logger' | 'notifications' | 'overview' | 'schedules'>;
type Keys =
  | 'GET /api/v1/overview/attention'
  | 'POST /api/v1/overview/causes'
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

export function overviewRoutes(use: Use): DashboardHandlers<Keys> {
  const { catalog, integrations, overview } = use;
  const nameOf = (row: { integrationName: string | null; integrationKey: string; provider: string }): string =>
    row.integrationName ?? catalog.find(row.provider)?.display_name ?? row.integrationKey;
  return {
    'GET /api/v1/overview/attention': async ({ environment }) => {
      const found = await overview.listAttention(environment.id);
      const data: AttentionItem[] = [
        ...found.deliveries.map(viewDeliveries),
        ...found.destinations.map(viewDestination),
        ...found.syncs.map((group) => viewSyncs(group, nameOf)),
        ...found.signIns.map((group) => ({ kind: 'sign-in' as const, ...viewGroup(group, nameOf) })),
      ];
      data.sort((a, b) => b.at.localeCompare(a.at));
      return { data, total: found.total, checkedAt: isoDate(found.checkedAt) };
    },

    'POST /api/v1/overview/causes': ({ environment, body }) => actOnCause(use, environment, body),

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

type SyncGroup = Attention['syncs'][number];
type ConnectionGroup = SyncGroup | Attention['signIns'][number];
type NameOf = (row: ConnectionGroup['members'][0]) => string;

function viewGroup({ cause, members, reason, refusal }: ConnectionGroup, nameOf: NameOf) {
  const [newest] = members;
  const { integrationKey, provider, connectionId, displayName, error, operationId, at } = newest;
  return {
    cause,
    count: members.length,
    reason,
    integrationKey,
    integrationName: nameOf(newest),
    provider,
    connectionId,
    displayName,
    error: error?.split('\n')[0] ?? null,
    refusal,
    operationId,
    at: isoDate(at),
    connections: members.slice(0, MAX_CAUSE_CONNECTIONS).map((member) => ({
      connectionId: member.connectionId,
      displayName: member.displayName,
      variant: member.variant,
      operationId: member.operationId,
      at: isoDate(member.at),
    })),
  };
}

function viewSyncs(group: SyncGroup, nameOf: NameOf): AttentionItem {
  const { sync, variant } = group.members[0];
  return { kind: 'sync', ...viewGroup(group, nameOf), sync, variant, failures: group.failures };
}

function viewDeliveries({ cause, count, last, reason }: Attention['deliveries'][number]): AttentionItem {
  const { id, url, code, error, finishedAt, createdAt } = last;
  return {
    kind: 'deliveries',
    cause,
    count,
    reason,
    webhookId: id,
    url,
    code,
    error,
    at: isoDate(finishedAt ?? createdAt),
  };
}

function viewDestination({ cause, member, reason }: Attention['destinations'][number]): AttentionItem {
  const { at, failures, id, name } = member;
  return { kind: 'destination', cause, count: 1, reason, destinationId: id, name, failures, at: isoDate(at) };
}

/** Acts on the failures that have this cause now. A sync that cannot be reached does not stop the others. */
async function actOnCause(
  { logger, notifications, overview, schedules }: Use,
  environment: Environment,
  { cause, command, wantsChanged }: CauseCommand,
): Promise<{ count: number; failed: number; changed?: string[] }> {
  const gone = new HomeportError('not_found', 'Nothing fails for this reason any more. Load the page again.');
  if (command === 'replay') {
    const group = (await overview.listDeliveryGroups(environment.id)).find((one) => one.cause === cause);
    if (!group) throw gone;
    const counts = group.members.map((outcome) =>
      notifications.history.replayFailed({ environmentId: environment.id, outcome }),
    );
    return { count: sumOf(await Promise.all(counts)), failed: 0 };
  }
  const group = (await overview.listSyncGroups(environment.id, { hasPaused: command === 'run' })).find(
    (one) => one.cause === cause,
  );
  if (!group) throw gone;
  let failed = 0;
  const changed: string[] = [];
  for (const { integrationKey, connectionId, sync, variant } of group.members) {
    const selection = {
      environmentId: environment.id,
      providerConfigKey: integrationKey,
      connectionId,
      syncs: [{ name: sync, variant }],
      trigger: 'ui',
    };
    try {
      if (command === 'run') await schedules.commands.trigger(selection);
      else changed.push(...(await schedules.commands.pause(selection)));
    } catch (error) {
      if (!(error instanceof HomeportError)) throw error;
      logger.warn({ err: error, connectionId, sync }, 'a sync of a cause could not be reached');
      failed += 1;
    }
  }
  return {
    count: group.members.length - failed,
    failed,
    ...(wantsChanged ? { changed } : {}),
  };
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
