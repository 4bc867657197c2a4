import type { Transaction } from '../database/database.ts';
import type { JobKind } from './job-kind.ts';
import type { JobReports } from './job-reports.ts';
import type { ClaimFilter, JobRow, JobsStore, KindHead } from './jobs.store.ts';
import type { RunningJobs } from './running-jobs.ts';
import type { SchedulePauses } from './schedule-pauses.ts';
import type { SchedulesStore } from './schedules.store.ts';

export interface PollResult {
  claimed: JobRow[];
  cancelledIds: number[];
  /** The next time at which jobs are due without an earlier wake-up. */
  nextDueAt: number;
}

interface QueueOptions {
  jobsStore: JobsStore;
  schedulesStore: SchedulesStore;
  kinds: ReadonlyMap<string, JobKind>;
  running: RunningJobs;
  reports: JobReports;
  pauses: Pick<SchedulePauses, 'endsAt' | 'pullBack'>;
}

/** No job waits longer than this, unless its kind says so. */
const LONGEST_WAIT_MS = 60_000;

/** Decides which jobs start now. Works inside the scheduler's transaction; the scheduler starts the jobs. */
export class JobQueue {
  readonly #options: QueueOptions;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Claims the jobs that start now. With `isHeld` it only finds jobs that were cancelled. */
  async poll(tx: Transaction, { now, isHeld }: { now: number; isHeld: boolean }): Promise<PollResult> {
    const { jobsStore: jobs, kinds } = this.#options;
    if (isHeld) {
      const { cancelledIds } = await jobs.readState(tx, [], now);
      return { claimed: [], cancelledIds, nextDueAt: Number.POSITIVE_INFINITY };
    }
    const free = [...kinds.keys()].filter((kind) => this.#freeSlots(kind, []) > 0);
    let state = await jobs.readState(tx, free, now);
    if (state.nextExpiry !== null && state.nextExpiry <= now) {
      await this.#endExpired(tx, now);
      state = await jobs.readState(tx, free, now);
    }
    const claimed: JobRow[] = [];
    let nextDueAt = state.nextExpiry ?? Number.POSITIVE_INFINITY;
    const pausedUntil = this.#options.pauses.endsAt(now);
    for (const found of state.heads) {
      const head = pausedUntil === undefined ? found : withoutSchedulesUntil(found, pausedUntil);
      const dueAt = Math.min(orNever(head.jobDueAt), orNever(head.scheduleDueAt));
      if (dueAt > now) {
        nextDueAt = Math.min(nextDueAt, dueAt);
        continue;
      }
      // Jobs that stay due wait for a slot, a group or an earlier run; the end of a job wakes the scheduler.
      claimed.push(...(await this.#claim(tx, head, now)));
      // The head has only the earliest time. Jobs that become due later may start although the due ones wait.
      const { laterJobAt, laterScheduleAt } = head;
      nextDueAt = Math.min(nextDueAt, orNever(laterJobAt), orNever(laterScheduleAt));
    }
    return { claimed, cancelledIds: state.cancelledIds, nextDueAt };
  }

  /** After the clock was set back: nothing waits longer than its own interval (design.md 7.55). */
  async pullBack(tx: Transaction, now: number): Promise<void> {
    const { jobsStore: jobs, kinds, schedulesStore: schedules, pauses } = this.#options;
    await schedules.pullBack(tx, now);
    for (const [kind, { retryDelayMs, maxAttempts = 1 }] of kinds)
      await jobs.pullBack(tx, kind, { now, longestMs: Math.max(LONGEST_WAIT_MS, retryDelayMs?.(maxAttempts) ?? 0) });
    pauses.pullBack(now);
  }

  /** Removes jobs that waited too long, and reports them to kinds with `onUnfinished`. */
  async #endExpired(tx: Transaction, now: number): Promise<void> {
    const { jobsStore: jobs, kinds, reports, schedulesStore: schedules } = this.#options;
    const expired = await jobs.listExpired(tx, now);
    const isReported = (job: JobRow): boolean => kinds.get(job.kind)?.onUnfinished !== undefined;
    await reports.add(
      tx,
      expired.filter(isReported).map((job) => job.id),
      'expired',
    );
    for (const job of expired) if (!isReported(job)) await jobs.remove(tx, job.id);
    await schedules.release(tx, expired, now);
  }

  /**
   * Starts queued jobs first, because they were requested; then schedules, the longest overdue first. Partitions take
   * turns.
   */
  async #claim(tx: Transaction, { kind, jobDueAt, scheduleDueAt }: KindHead, now: number): Promise<JobRow[]> {
    const { jobsStore: jobs, kinds, schedulesStore: schedules } = this.#options;
    const { concurrencyPerGroup, slotsForIdlePartitions } = kinds.get(kind) ?? {};
    const picksByGroup = concurrencyPerGroup !== undefined && slotsForIdlePartitions === undefined;
    const due = { jobs: isDue(jobDueAt, now), schedules: isDue(scheduleDueAt, now) };
    const claimed = picksByGroup && due.jobs ? await this.#claimByGroup(tx, kind, now, concurrencyPerGroup) : [];
    const partitions = await this.#duePartitions(tx, kind, now, due);
    for (;;) {
      const slots = this.#freeSlots(kind, claimed);
      const next = slots > 0 ? this.#nextPartition(kind, partitions, slots, claimed) : undefined;
      if (!next) return claimed;
      const filter = this.#filter(kind, now, next, claimed);
      const queued = due.jobs && !picksByGroup ? await jobs.claim(tx, filter) : [];
      const taken = queued.length > 0 || !due.schedules ? queued : await schedules.claimDue(tx, filter);
      // The remaining jobs of the partition wait for their groups or for an earlier run.
      if (taken.length === 0) partitions.delete(next.partition);
      claimed.push(...taken);
    }
  }

  #claimByGroup(tx: Transaction, kind: string, now: number, limitPerGroup: number): Promise<JobRow[]> {
    const { jobsStore: jobs, running } = this.#options;
    return jobs.claimByGroup(tx, {
      kind,
      now,
      limit: this.#freeSlots(kind, []),
      limitPerGroup,
      running: running.countByGroup(kind, []),
      busySchedules: running.scheduleIds,
    });
  }

  /** Partitions with due work, the longest overdue first. A kind without turns is one partition, `undefined`. */
  async #duePartitions(
    tx: Transaction,
    kind: string,
    now: number,
    has: { jobs: boolean; schedules: boolean },
  ): Promise<Set<string | undefined>> {
    const { jobsStore: jobs, kinds, schedulesStore: schedules } = this.#options;
    if (kinds.get(kind)?.slotsForIdlePartitions === undefined) return new Set([undefined]);
    const due = [
      ...(has.jobs ? await jobs.listDuePartitions(tx, kind, now) : []),
      ...(has.schedules ? await schedules.listDuePartitions(tx, kind, now) : []),
    ];
    return new Set(due.sort((a, b) => a.dueAt - b.dueAt).map(({ partition }) => partition));
  }

  /**
   * The partition whose turn it is, and how many of its jobs may start: several when no other partition waits. The last
   * slots are reserved for partitions that have no running job.
   */
  #nextPartition(
    kind: string,
    partitions: ReadonlySet<string | undefined>,
    slots: number,
    claimed: JobRow[],
  ): { partition: string | undefined; limit: number } | undefined {
    const reserved = this.#options.kinds.get(kind)?.slotsForIdlePartitions ?? 0;
    const counts = this.#options.running.countByPartition(kind, claimed);
    const running = (partition: string | undefined): number =>
      partition === undefined ? 0 : (counts.get(partition) ?? 0);
    const waiting = [...partitions]
      .filter((one) => slots > reserved || running(one) === 0)
      .sort((a, b) => running(a) - running(b));
    if (waiting.length === 0) return undefined;
    return { partition: waiting[0], limit: waiting.length === 1 ? Math.max(1, slots - reserved) : 1 };
  }

  #filter(
    kind: string,
    now: number,
    { partition, limit }: { partition: string | undefined; limit: number },
    claimed: JobRow[],
  ): ClaimFilter {
    const { kinds, running } = this.#options;
    const perGroup = kinds.get(kind)?.concurrencyPerGroup;
    return {
      kind,
      now,
      ...(partition === undefined ? {} : { partition }),
      limit,
      // The limit of a group is kept by taking one of its jobs at a time.
      maxPerGroup: perGroup === undefined ? limit : 1,
      fullGroups: perGroup === undefined ? [] : running.groupsAtLimit(kind, perGroup, claimed),
      busySchedules: running.scheduleIds,
    };
  }

  #freeSlots(kind: string, claimed: JobRow[]): number {
    const concurrency = this.#options.kinds.get(kind)?.concurrency ?? 0;
    return Math.max(0, concurrency - this.#options.running.countOf(kind) - claimed.length);
  }
}

/** A pause stops schedules only: requested jobs still start. */
function withoutSchedulesUntil(head: KindHead, end: number): KindHead {
  return head.scheduleDueAt === null ? head : { ...head, scheduleDueAt: Math.max(head.scheduleDueAt, end) };
}

const orNever = (at: number | null): number => at ?? Number.POSITIVE_INFINITY;

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}
