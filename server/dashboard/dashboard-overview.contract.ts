import { z } from 'zod';
import { environmentQuery, isoTime, timeZoneName } from '../contract/dashboard/dashboard-lists.ts';
import { changedSyncs, wantsChanged } from '../data/dashboard-undo.contract.ts';
import { functionType } from '../functions/dashboard-functions.contract.ts';
import { refusalView } from '../log/dashboard-logs.contract.ts';

const ofConnection = {
  integrationKey: z.string(),
  integrationName: z.string(),
  provider: z.string(),
  connectionId: z.string(),
  displayName: z.string().nullable(),
};
/** Failures with the same cause: function or destination, kind and normalised message (design.md 7.52). */
const cause = {
  /** Identifies the cause; acts on all its failures name it. */
  cause: z.string(),
  /** Number of connections, or of webhooks. */
  count: z.number().int(),
  /** In a few words: "429 on GET /v1/issues"; without what differs from failure to failure when there are several. */
  reason: z.string(),
};
/** The newest failure. */
const failure = {
  /** First line of the error; null when the log has deleted the operation. */
  error: z.string().nullable(),
  /** The provider's refusal, when that is the whole error. */
  refusal: refusalView.nullable(),
  /** Null when no operation found the problem: the credentials ended by themselves. */
  operationId: z.string().nullable(),
  at: isoTime,
};

/** The largest number of single connections that a cause names. */
export const MAX_CAUSE_CONNECTIONS = 20;
/** Single connections of a cause, the newest failure first; `count` says how many there are. */
const connections = z
  .array(
    z.object({
      connectionId: z.string(),
      displayName: z.string().nullable(),
      /** Of the sync; null for a sign-in. */
      variant: z.string().nullable(),
      operationId: z.string().nullable(),
      at: isoTime,
    }),
  )
  .max(MAX_CAUSE_CONNECTIONS);

/** One row of "Needs attention" (ui.md 6.2). Calls that wait for approval and functions have their own lists. */
export const attentionItem = z.discriminatedUnion('kind', [
  /**
   * The provider refuses the credentials, or they have ended. Failing syncs of such a connection are not listed,
   * because they have the same cause.
   */
  z.object({ kind: z.literal('sign-in'), ...cause, ...ofConnection, ...failure, connections }),
  z.object({
    kind: z.literal('sync'),
    ...cause,
    ...ofConnection,
    ...failure,
    connections,
    sync: z.string(),
    variant: z.string(),
    /** Number of failed runs of the newest one since its last successful one. */
    failures: z.number().int(),
  }),
  /** Webhooks to one destination that were given up and not sent again since, with the newest one. */
  z.object({
    kind: z.literal('deliveries'),
    ...cause,
    webhookId: z.string(),
    /** Empty while the vault is locked. */
    url: z.string(),
    code: z.number().int().nullable(),
    error: z.string().nullable(),
    at: isoTime,
  }),
  /** A record destination whose deliveries failed more than once in a row. */
  z.object({
    kind: z.literal('destination'),
    ...cause,
    destinationId: z.string(),
    name: z.string(),
    failures: z.number().int(),
    at: isoTime,
  }),
]);

/** By cause, the newest first, at most 20 causes of each kind. `total` counts all causes. */
export const attentionResponse = z.object({
  data: z.array(attentionItem),
  total: z.number().int(),
  checkedAt: isoTime,
});

/** `run`, `pause`: syncs. `replay`: webhooks. */
export const causeBody = z.object({
  cause: z.string().min(1).max(2000),
  command: z.enum(['run', 'pause', 'replay']),
  wantsChanged,
});
/** Number of syncs or webhooks that the command reached, and of syncs that it could not reach. */
export const causeResponse = z.object({
  count: z.number().int(),
  failed: z.number().int(),
  changed: changedSyncs,
});

/** Period of the charts, up to now. */
export const activityPeriod = z.enum(['1h', '24h', '7d', '14d', '90d']);
export const activityQuery = environmentQuery.extend({
  period: activityPeriod,
  /** Time zone of the buckets. */
  timeZone: timeZoneName.default('UTC'),
});

/** `renewal`: refresh of a token without the user. */
export const activityKind = z.enum(['sync', 'action', 'event', 'proxy', 'webhook', 'sign-in', 'renewal']);
const activityState = z.enum(['success', 'failed', 'timeout', 'cancelled', 'running']);

/** Operations by start time. Empty buckets of the period are included. */
export const activityResponse = z.object({
  from: isoTime,
  to: isoTime,
  bucketMs: z.number().int(),
  buckets: z.array(
    z.object({
      at: isoTime,
      counts: z.partialRecord(activityKind, z.partialRecord(activityState, z.number().int())),
      /** Finished proxied requests by the first digit of the status; 0 means that no response arrived. */
      calls: z.array(z.object({ provider: z.string(), statusClass: z.number().int().min(0), calls: z.number().int() })),
      /** Records that operations changed, counted at the end of the operation. */
      records: z.object({ added: z.number().int(), updated: z.number().int(), deleted: z.number().int() }),
      /** Size of the hub's database at the end of the bucket; null when it was not measured yet. */
      databaseBytes: z.number().int().nullable(),
    }),
  ),
  /** End of the last bucket. */
  end: isoTime,
});

/** Duration of a function's successful runs in milliseconds, accurate to 5 %; null when none succeeded. */
export const functionDuration = z.object({
  integrationKey: z.string(),
  integrationName: z.string(),
  /** Empty when the integration was deleted. */
  provider: z.string(),
  type: functionType,
  name: z.string(),
  /** Number of finished runs, whether they succeeded, failed or timed out. */
  runs: z.number().int(),
  succeeded: z.number().int(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  maxMs: z.number().nullable(),
});
/** At most 20, the slowest first. `total` counts all. */
export const durationsResponse = z.object({ data: z.array(functionDuration), total: z.number().int() });

/** Number of slots in the next 24 hours. */
export const PLANNED_SLOTS = 96;
/** One function of an integration with one frequency, for all connections whose schedule is started. */
export const plannedSync = z.object({
  integrationKey: z.string(),
  integrationName: z.string(),
  provider: z.string(),
  sync: z.string(),
  frequencyMs: z.number().int(),
  connections: z.number().int(),
  nextAt: isoTime,
  /** Number of runs in each slot. */
  slots: z.array(z.number().int()).length(PLANNED_SLOTS),
});
/** At most 20, those that run next first. `total` counts all functions, `runs` counts all runs. */
export const plannedResponse = z.object({
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
    response: attentionResponse,
  },
  'POST /api/v1/overview/causes': {
    meaning: 'Acts on all failures with one cause.',
    query: environmentQuery,
    body: causeBody,
    response: causeResponse,
  },
  'GET /api/v1/overview/activity': {
    meaning: 'Operations of a period by time, kind and state.',
    query: activityQuery,
    response: activityResponse,
  },
  'GET /api/v1/overview/durations': {
    meaning:
      'Durations of the runs of each function in a period: by quarter of an hour up to a day, by UTC day for longer periods.',
    query: environmentQuery.extend({ period: activityPeriod }),
    response: durationsResponse,
  },
  'GET /api/v1/overview/planned': {
    meaning: 'Scheduled runs of the coming 24 hours.',
    query: environmentQuery,
    response: plannedResponse,
  },
};

export type AttentionItem = z.infer<typeof attentionItem>;
export type CauseCommand = z.infer<typeof causeBody>;
export type ActivityPeriod = z.infer<typeof activityPeriod>;
export type ActivityKind = z.infer<typeof activityKind>;
export type ActivityState = z.infer<typeof activityState>;
export type Activity = z.infer<typeof activityResponse>;
export type FunctionDuration = z.infer<typeof functionDuration>;
export type PlannedSync = z.infer<typeof plannedSync>;
export type Planned = z.infer<typeof plannedResponse>;
