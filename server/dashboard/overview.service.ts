import { DiskUseStore } from '../data/disk-use.store.ts';
import { SizeSamplesStore } from '../data/size-samples.store.ts';
import type { DestinationsService } from '../destinations/destinations.service.ts';
import type { RunSummary } from '../log/log-counts.ts';
import type { ActivityBucket, LogsService } from '../log/logs.service.ts';
import { QUARTER_MS } from '../platform/database/count-slots.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import type { SnapshotsService } from '../snapshots/snapshots.service.ts';
import type { DeliverySummary } from '../webhooks-out/delivery-history.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import {
  type DeliveryGroup,
  type DestinationGroup,
  type FunctionOfCause,
  groupDeliveries,
  groupDestinations,
  groupSignIns,
  groupSyncs,
  type SignInGroup,
  type SyncGroup,
} from './failure-groups.ts';
import { OverviewStore, type PlannedRow } from './overview.store.ts';

export type { DeliveryGroup, DestinationGroup, FunctionOfCause, SignInGroup, SyncGroup } from './failure-groups.ts';
export { DELIVERY_CAUSES, DESTINATION_CAUSES, signInCauses, syncCauses } from './failure-groups.ts';

const MAX_LINES = 20;
const DAY_MS = 86_400_000;

/** What a person should look at, by cause, the newest first. */
export interface Attention {
  syncs: Array<SyncGroup & { failures: number }>;
  signIns: SignInGroup[];
  /** `last`: the newest webhook of the group. */
  deliveries: Array<DeliveryGroup & { last: DeliverySummary }>;
  destinations: DestinationGroup[];
  /** Number of all causes. */
  total: number;
  checkedAt: number;
}

export interface PlannedSlots extends PlannedRow {
  /** Number of runs in each slot. */
  slots: number[];
}

export type OverviewService = ReturnType<typeof createOverviewService>;

/** Data for the overview. Times are in milliseconds since the epoch. */
export function createOverviewService(use: {
  database: Pick<Database, 'reader' | 'transaction'>;
  clock: Clock;
  logger: Logger;
  logs: LogsService;
  notifications: NotificationsService;
  destinations: Pick<DestinationsService, 'listFailing'>;
  /** The folder of Parquet files is shown as a destination. */
  snapshots: Pick<SnapshotsService, 'listFailing'>;
}) {
  const { database, clock, logger, logs, notifications } = use;
  const store = new OverviewStore();
  const sizes = createSizeSamples({ database, clock, logger });

  /** At most 20 causes of each kind. */
  async function listAttention(environmentId: number): Promise<Attention> {
    const [syncs, signIns, deliveries, destinations] = await Promise.all([
      listSyncGroups(environmentId),
      listSignInGroups(environmentId),
      listDeliveryGroups(environmentId),
      listDestinationGroups(environmentId),
    ]);
    const shown = { syncs: syncs.slice(0, MAX_LINES), deliveries: deliveries.slice(0, MAX_LINES) };
    return {
      syncs: await Promise.all(
        shown.syncs.map(async (group) => ({ ...group, failures: await countFailures([group.members[0]]) })),
      ),
      signIns: signIns.slice(0, MAX_LINES),
      deliveries: await Promise.all(
        shown.deliveries.map(async (group) => ({
          ...group,
          last: await notifications.history.getSummary(environmentId, group.members[0].lastId),
        })),
      ),
      destinations: destinations.slice(0, MAX_LINES),
      total: syncs.length + signIns.length + deliveries.length + destinations.length,
      checkedAt: clock.now(),
    };
  }

  /** Failing syncs by cause, also of one function only. Paused ones are left out unless `hasPaused`. */
  async function listSyncGroups(
    environmentId: number,
    of: Partial<FunctionOfCause> & { hasPaused?: boolean } = {},
  ): Promise<SyncGroup[]> {
    // The error of a run that has just ended is still on its way into the log.
    await logs.flush();
    const rows = await store.listFailingSyncs(database.reader, { environmentId, now: clock.now(), ...of });
    return groupSyncs(rows);
  }

  /** Connections that need a sign-in by cause, also of one integration only. */
  async function listSignInGroups(environmentId: number, integrationKey?: string): Promise<SignInGroup[]> {
    await logs.flush();
    const only = integrationKey === undefined ? {} : { integrationKey };
    const rows = await store.listLostConnections(database.reader, { environmentId, now: clock.now(), ...only });
    return groupSignIns(rows);
  }

  /** Webhooks that were given up and not sent again since, by destination and outcome. */
  async function listDeliveryGroups(environmentId: number): Promise<DeliveryGroup[]> {
    return groupDeliveries(await store.listOpenFailures(database.reader, environmentId));
  }

  /** Record destinations that failed more than once in a row. */
  async function listDestinationGroups(environmentId: number): Promise<DestinationGroup[]> {
    const [destinations, snapshots] = await Promise.all([
      use.destinations.listFailing(environmentId),
      use.snapshots.listFailing(environmentId),
    ]);
    return groupDestinations([...destinations, ...snapshots]);
  }

  /** The most failed runs in a row of one of these syncs. */
  function countFailures(members: ReadonlyArray<SyncGroup['members'][0]>): Promise<number> {
    const ids = members.map(({ syncRowId }) => syncRowId);
    return store.findMostFailures(database.reader, ids);
  }

  /** Operations of the last `periodMs`, by time, type and state; days are calendar days of the IANA zone. */
  async function countActivity(query: { environmentId: number; periodMs: number; timeZone: string }): Promise<{
    from: number;
    to: number;
    bucketMs: number;
    buckets: Array<ActivityBucket & { databaseBytes: number | null }>;
    end: number;
  }> {
    const to = clock.now();
    const { environmentId, periodMs, timeZone } = query;
    const from = to - periodMs;
    const { buckets, ...chart } = await logs.countActivity({ environmentId, from, to, timeZone });
    const now = await sizes.read();
    const past = await sizes.listAt(
      buckets.map(({ at }, index) => ({ at, end: Math.min(buckets[index + 1]?.at ?? chart.end, to) })),
    );
    return {
      from,
      to,
      ...chart,
      buckets: buckets.map((bucket, index) => ({
        ...bucket,
        databaseBytes: (index === buckets.length - 1 ? now : past[index]) ?? null,
      })),
    };
  }

  /** Durations of runs in the last `periodMs`, by function; slowest first, at most 20. */
  async function listDurations(
    environmentId: number,
    periodMs: number,
  ): Promise<{ durations: RunSummary[]; total: number }> {
    const all = await logs.listRunSummaries(environmentId, clock.now() - periodMs);
    const slowest = all.sort((a, b) => (b.p95Ms ?? -1) - (a.p95Ms ?? -1) || b.runs - a.runs);
    return { durations: slowest.slice(0, MAX_LINES), total: slowest.length };
  }

  /** Runs of started schedules in the next 24 hours, in `slotCount` slots: one entry per function and frequency. */
  async function listPlanned(
    environmentId: number,
    slotCount: number,
  ): Promise<{ from: number; slotMs: number; planned: PlannedSlots[]; total: number; runs: number }> {
    const from = clock.now();
    const slotMs = DAY_MS / slotCount;
    const rows = await store.listPlanned(database.reader, {
      environmentId,
      now: from,
      until: from + DAY_MS,
      slotMs,
    });
    const all = gatherPlanned(rows, { from, slotMs, slotCount });
    const runs = all.reduce((sum, one) => sum + one.slots.reduce((total, count) => total + count, 0), 0);
    return { from, slotMs, planned: all.slice(0, MAX_LINES), total: all.length, runs };
  }

  return {
    sizes,
    listAttention,
    listSyncGroups,
    listSignInGroups,
    listDeliveryGroups,
    listDestinationGroups,
    countFailures,
    countActivity,
    listDurations,
    listPlanned,
  };
}

/**
 * The runs of each function and frequency over all slots: the next run, repeated at the frequency. A run that is due
 * already counts as now. Keeps the order of the rows.
 */
export function gatherPlanned(
  rows: readonly PlannedRow[],
  { from, slotMs, slotCount }: { from: number; slotMs: number; slotCount: number },
): PlannedSlots[] {
  const gathered = new Map<string, PlannedSlots>();
  for (const row of rows) {
    const key = JSON.stringify([row.integrationKey, row.sync, row.frequencyMs]);
    const known = gathered.get(key);
    const target = known ?? { ...row, connections: 0, slots: Array.from({ length: slotCount }, () => 0) };
    if (!known) gathered.set(key, target);
    target.connections += row.connections;
    const first = Math.max(row.nextAt - from, 0);
    if (row.frequencyMs <= slotMs) {
      const perSlot = Math.round((slotMs / row.frequencyMs) * row.connections);
      for (let slot = Math.floor(first / slotMs); slot < slotCount; slot += 1) add(target.slots, slot, perSlot);
    } else {
      for (let at = first; at < slotMs * slotCount; at += row.frequencyMs)
        add(target.slots, Math.floor(at / slotMs), row.connections);
    }
  }
  return [...gathered.values()];
}

function add(slots: number[], slot: number, count: number): void {
  slots[slot] = (slots[slot] ?? 0) + count;
}

/** Stores the size of the database every 15 minutes, for a chart of the overview (ui.md 6.2). */
function createSizeSamples(use: { database: Pick<Database, 'reader' | 'transaction'>; clock: Clock; logger: Logger }) {
  const { database, clock, logger } = use;
  const store = new SizeSamplesStore();
  const disk = new DiskUseStore();
  const sweeps = new PeriodicSweep({
    clock,
    logger,
    intervalMs: QUARTER_MS,
    sweep: () => take(),
    failureMessage: 'The size of the database could not be stored; trying again in 15 minutes.',
  });

  /** Stores the current size. */
  async function take(): Promise<void> {
    const bytes = await read();
    await database.transaction((tx) => store.add(tx, { at: clock.now(), bytes }));
  }

  /** The current size in bytes. */
  async function read(): Promise<number> {
    const { pageBytes, pages } = await disk.pages(database.reader);
    return pageBytes * pages;
  }

  /** Size in bytes at the end of each period, oldest first: the last sample before it. */
  async function listAt(periods: ReadonlyArray<{ at: number; end: number }>): Promise<Array<number | undefined>> {
    const [first, last] = [periods[0], periods.at(-1)];
    if (!first || !last) return [];
    const samples = await store.list(database.reader, { from: first.at, to: last.end });
    return periods.map(({ end }) => samples.findLast(({ slot }) => slot <= end)?.bytes);
  }

  return { start: () => sweeps.start(), stop: () => sweeps.stop(), take, read, listAt };
}
