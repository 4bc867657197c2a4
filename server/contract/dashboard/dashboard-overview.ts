import { z } from 'zod';
import { functionType } from './dashboard-functions.ts';
import { environmentQuery, isoTime, timeZoneName } from './dashboard-lists.ts';

const ofConnection = {
  integrationKey: z.string(),
  integrationName: z.string(),
  provider: z.string(),
  connectionId: z.string(),
  displayName: z.string().nullable(),
};
const failure = {
  /** First line of the failure; null when its operation is gone. */
  error: z.string().nullable(),
  operationId: z.string(),
  at: isoTime,
};

/** One line of "Needs attention" (ui.md 6.2). Calls that wait for approval and functions have lists of their own. */
export const attentionItem = z.discriminatedUnion('kind', [
  /** The provider refuses the credentials. Failing syncs of such a connection are left out: they follow from it. */
  z.object({ kind: z.literal('sign-in'), ...ofConnection, ...failure }),
  z.object({
    kind: z.literal('sync'),
    ...ofConnection,
    ...failure,
    sync: z.string(),
    variant: z.string(),
    /** Failed runs since the last one that succeeded. */
    failures: z.number().int(),
  }),
  /** Webhooks that were given up and not sent again since; address, status and reason of the last one. */
  z.object({
    kind: z.literal('deliveries'),
    count: z.number().int(),
    webhookId: z.string(),
    url: z.string(),
    code: z.number().int().nullable(),
    error: z.string().nullable(),
    at: isoTime,
  }),
]);

/** The newest first, at most 20 of connections; `total` counts all. */
export const attentionAnswer = z.object({ data: z.array(attentionItem), total: z.number().int(), checkedAt: isoTime });

/** Length of what the charts show, up to now. */
export const activityPeriod = z.enum(['1h', '24h', '7d', '14d', '90d']);
export const activityQuery = environmentQuery.extend({
  period: activityPeriod,
  /** Whose days the buckets follow. */
  timeZone: timeZoneName.default('UTC'),
});

/** `renewal`: of a token, without the user. */
export const activityKind = z.enum(['sync', 'action', 'event', 'proxy', 'webhook', 'sign-in', 'renewal']);
const activityState = z.enum(['success', 'failed', 'timeout', 'cancelled', 'running']);

/** Operations by the moment they began; every bucket of the period, the empty ones too. */
export const activityAnswer = z.object({
  from: isoTime,
  to: isoTime,
  bucketMs: z.number().int(),
  buckets: z.array(
    z.object({
      at: isoTime,
      counts: z.partialRecord(activityKind, z.partialRecord(activityState, z.number().int())),
      /** Proxied requests that have ended: by the first digit of the status, 0 where no answer came. */
      calls: z.array(z.object({ provider: z.string(), statusClass: z.number().int().min(0), calls: z.number().int() })),
      /** Records that operations changed, counted when they end. */
      records: z.object({ added: z.number().int(), updated: z.number().int(), deleted: z.number().int() }),
      /** Size of the hub's database at the end of the bucket; null where it was not measured yet. */
      databaseBytes: z.number().int().nullable(),
    }),
  ),
  /** When the last one ends. */
  end: isoTime,
});

/** Milliseconds that successful runs of a function took, up to 5 % off; null without one. */
export const functionDuration = z.object({
  integrationKey: z.string(),
  integrationName: z.string(),
  /** Empty when the integration is gone. */
  provider: z.string(),
  type: functionType,
  name: z.string(),
  /** Runs that have ended, by success, failure or time limit. */
  runs: z.number().int(),
  succeeded: z.number().int(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  maxMs: z.number().nullable(),
});
/** At most 20, the slowest first; `total` counts all. */
export const durationsAnswer = z.object({ data: z.array(functionDuration), total: z.number().int() });

/** Slots of the coming 24 hours. */
export const PLANNED_SLOTS = 96;
/** One function of an integration at one pace, for all connections whose schedule is started. */
export const plannedSync = z.object({
  integrationKey: z.string(),
  integrationName: z.string(),
  provider: z.string(),
  sync: z.string(),
  frequencyMs: z.number().int(),
  connections: z.number().int(),
  nextAt: isoTime,
  /** Runs in each slot. */
  slots: z.array(z.number().int()).length(PLANNED_SLOTS),
});
/** At most 20, the ones that run next first; `total` counts all, `runs` the runs of all. */
export const plannedAnswer = z.object({
  from: isoTime,
  slotMs: z.number().int(),
  data: z.array(plannedSync),
  total: z.number().int(),
  runs: z.number().int(),
});

export const overviewRouteShapes = {
  'GET /api/v1/overview/attention': {
    meaning: 'Connections, syncs and webhooks that need a person, the newest first.',
    query: environmentQuery,
    response: attentionAnswer,
  },
  'GET /api/v1/overview/activity': {
    meaning: 'Operations of a period by time, kind and state.',
    query: activityQuery,
    response: activityAnswer,
  },
  'GET /api/v1/overview/durations': {
    meaning: 'How long runs of each function took in a period: by quarters of an hour up to a day, by UTC days beyond.',
    query: environmentQuery.extend({ period: activityPeriod }),
    response: durationsAnswer,
  },
  'GET /api/v1/overview/planned': {
    meaning: 'Scheduled runs of the coming 24 hours.',
    query: environmentQuery,
    response: plannedAnswer,
  },
};

export type AttentionItem = z.infer<typeof attentionItem>;
export type ActivityPeriod = z.infer<typeof activityPeriod>;
export type ActivityKind = z.infer<typeof activityKind>;
export type ActivityState = z.infer<typeof activityState>;
export type Activity = z.infer<typeof activityAnswer>;
export type FunctionDuration = z.infer<typeof functionDuration>;
export type PlannedSync = z.infer<typeof plannedSync>;
export type Planned = z.infer<typeof plannedAnswer>;
