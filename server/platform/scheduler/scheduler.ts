import type { Database, Transaction } from '../database/database.ts';
import { AwakeTime } from '../lib/awake-time.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { detached } from '../lib/detached.ts';
import { areFilesLost, isVaultLocked } from '../lib/homeport-error.ts';
import type { Logger } from '../lib/logger.ts';
import { ClockSteps, MAX_AWAKE_GAP_MS, type StepBackHandler } from './clock-steps.ts';
import { JobAborted, type JobKind, type JobSpec } from './job-kind.ts';
import { JobQueue } from './job-queue.ts';
import { JobReports } from './job-reports.ts';
import { type JobRow, JobsStore } from './jobs.store.ts';
import { type RunningJob, RunningJobs } from './running-jobs.ts';
import { SchedulePauses } from './schedule-pauses.ts';
import { SchedulesStore } from './schedules.store.ts';
import { Schedules } from './schedules.ts';

export interface SchedulerOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
}

/** `held`: the vault was locked while the job ran. */
type JobEnd = 'done' | 'failed' | 'shutdown' | 'held';

/** Longest time between two polls, in milliseconds: timers stop while the computer sleeps. */
const RESOLUTION_MS = 1000;
/** Pause before the end of a job is stored once more, after many failures. */
const MAX_STORE_RETRY_MS = 30_000;
/**
 * While most slots of a kind are taken, the scheduler waits this long for further free slots and fills them with one
 * poll.
 */
const FILL_AFTER_MS = 50;
/** When this share of a kind's slots is free, they are filled at once. */
const FILLED_AT_ONCE = 1 / 2;

/**
 * Persistent jobs and their schedules. Only one process works on a database at a time, so a job found running at start
 * belongs to a process that has ended. Every change goes through a transaction and wakes the scheduler. Its poll is in
 * the same queue of transactions, so it sees the change, or the change was rolled back.
 */
export class Scheduler {
  readonly schedules: Schedules;
  readonly #pauses = new SchedulePauses();
  readonly #options: SchedulerOptions;
  readonly #jobs = new JobsStore();
  readonly #kinds = new Map<string, JobKind>();
  readonly #running = new RunningJobs();
  readonly #queue: JobQueue;
  readonly #reports: JobReports;
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #filling: Timer | undefined;
  #nextDueAt = Number.POSITIVE_INFINITY;
  readonly #awake: AwakeTime;
  readonly #clockSteps: ClockSteps;
  #state: 'new' | 'running' | 'stopped' = 'new';
  #polling: Promise<void> | undefined;
  #isStale = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { database, clock, logger } = options;
    this.#awake = new AwakeTime({ now: () => clock.now(), maxGapMs: MAX_AWAKE_GAP_MS });
    this.#clockSteps = new ClockSteps(clock);
    const schedules = new SchedulesStore();
    this.schedules = new Schedules({
      jobsStore: this.#jobs,
      schedulesStore: schedules,
      clock,
      wake: () => this.wake(),
      kindOf: (name) => this.#kind(name),
    });
    this.#reports = new JobReports({ database, clock, logger, kinds: this.#kinds });
    this.#queue = new JobQueue({
      jobsStore: this.#jobs,
      schedulesStore: schedules,
      kinds: this.#kinds,
      running: this.#running,
      reports: this.#reports,
      pauses: this.#pauses,
    });
    this.#clockSteps.onStepBack(async (tx, { now, stepMs }) => {
      await this.#queue.pullBack(tx, now);
      await this.#jobs.extendStart(tx, -stepMs);
    });
    this.#clockSteps.onSkip((tx, skippedMs) => this.#jobs.extendStart(tx, skippedMs));
  }

  /** Adds a kind of jobs. Throws when it is registered already. */
  register(name: string, kind: JobKind): void {
    if (this.#kinds.has(name)) throw new Error(`The job kind ${name} is registered already.`);
    this.#kinds.set(name, kind);
  }

  /** Called at start, and after the clock was set back, before jobs are started (design.md 7.55). */
  onStepBack(handler: StepBackHandler): void {
    this.#clockSteps.onStepBack(handler);
  }

  /**
   * Queues a job in the caller's transaction: the job exists if and only if that transaction commits. Resolves to the
   * job's id.
   */
  async enqueue(tx: Transaction, spec: JobSpec): Promise<number> {
    const id = await this.#insert(tx, spec, null);
    this.wake();
    return id;
  }

  #insert(tx: Transaction, spec: JobSpec, startedAt: number | null): Promise<number> {
    const kind = this.#kind(spec.kind);
    const now = this.#options.clock.now();
    const runAt = spec.runAt ?? now;
    return this.#jobs.insert(tx, {
      kind: spec.kind,
      group: spec.group ?? '',
      partition: spec.partition ?? '',
      payload: JSON.stringify(spec.payload),
      scheduleId: null,
      maxAttempts: spec.maxAttempts ?? kind.maxAttempts ?? 1,
      runAt,
      startBefore: kind.startWithinMs === undefined ? null : runAt + kind.startWithinMs,
      createdAt: now,
      startedAt,
    });
  }

  /**
   * Stores a job that the caller works on itself, at once, until `complete` or `handOver`. When the process ends before
   * that, the next start runs the job; so its kind must say `whenInterrupted: 'retry'`.
   */
  async reserve(tx: Transaction, spec: JobSpec): Promise<number> {
    return this.#insert(tx, spec, this.#options.clock.now());
  }

  /**
   * Ends a job in the caller's transaction, together with its result: a job that the caller reserved, or one that its
   * handler works on. Its schedule is free for the next run. Does nothing when the job is already gone.
   */
  async complete(tx: Transaction, jobId: number): Promise<void> {
    const job = await this.#jobs.takeOut(tx, jobId);
    if (job) await this.#end(tx, [{ id: jobId, ...job }]);
  }

  /** As `complete`, for running jobs. Resolves to the ended ones: the others were cancelled or have ended before. */
  async completeWanted(tx: Transaction, jobIds: readonly number[]): Promise<Set<number>> {
    const jobs = await this.#jobs.takeOutStarted(tx, jobIds);
    await this.#end(tx, jobs);
    return new Set(jobs.map(({ id }) => id));
  }

  async #end(tx: Transaction, jobs: ReadonlyArray<Pick<JobRow, 'id' | 'scheduleId' | 'startedAt'>>): Promise<void> {
    tx.afterCommit(() => this.#running.markCompleted(jobs));
    await this.schedules.release(tx, jobs);
  }

  /** Whether a running job should continue: false when it was cancelled or has ended. */
  async isWanted(tx: Transaction, jobId: number): Promise<boolean> {
    return (await this.#jobs.find(tx, jobId))?.state === 'started';
  }

  /** Changes members of a job's payload, which the job reads when it starts again. Null removes a member. */
  async patch(tx: Transaction, jobId: number, members: Record<string, unknown>): Promise<void> {
    await this.#jobs.patchPayload(tx, jobId, members);
  }

  /** Hands a reserved job over to the scheduler. `patch` changes its payload; null removes a member. */
  async handOver(tx: Transaction, jobId: number, patch: Record<string, unknown>): Promise<void> {
    await this.#jobs.patchPayload(tx, jobId, patch);
    await this.#jobs.requeue(tx, jobId, this.#options.clock.now(), 1);
    this.wake();
  }

  /** Hands a reserved job over after a failure of its caller, once that can be stored: the disk may be full just now. */
  leave(jobId: number): void {
    void this.#store({ job: jobId }, (tx) => this.handOver(tx, jobId, {}));
  }

  /** Removes a queued job; aborts a running one after the transaction is committed. */
  async cancel(tx: Transaction, jobId: number): Promise<void> {
    await this.#jobs.cancel(tx, jobId);
    this.wake();
  }

  /** Handles jobs that the last process left running as interrupted, then starts jobs. */
  async start(): Promise<void> {
    const { database } = this.#options;
    await database.transaction(async (tx) => {
      for (const row of await this.#jobs.listTaken(tx)) await this.#close(tx, row, 'shutdown');
    });
    this.#clockSteps.begin();
    this.#state = 'running';
    this.#reports.start();
    this.#arm();
    this.wake();
  }

  /** Starts no more jobs, gives running jobs `graceMs` to end, then aborts them and waits for the same time again. */
  async stop(graceMs = 2000): Promise<void> {
    this.#state = 'stopped';
    this.#timer?.cancel();
    this.#filling?.cancel();
    this.#stopping.abort(new JobAborted('shutdown'));
    await Promise.all([this.#polling, this.#reports.stop()]);
    await this.#settle(graceMs);
    this.#running.abort(
      this.#running.all.map(({ row }) => row.id),
      'shutdown',
    );
    await this.#settle(graceMs);
  }

  /**
   * Stops starting, expiring and reporting jobs until `release`; resolves once this is in effect. Running jobs
   * continue.
   */
  async hold(): Promise<void> {
    this.#clockSteps.hold(true);
    this.#reports.hold();
    await this.#polling;
  }

  /** Ends a `hold`. The limit for the start of waiting jobs is extended by the time of the hold. */
  release(): void {
    if (!this.#clockSteps.isHeld) return;
    this.#clockSteps.hold(false);
    this.#reports.release();
    this.wake();
  }

  /** Schedules start no run until then (milliseconds since the epoch, or `Infinity`); queued jobs still start. */
  pauseSchedules(reason: string, until: number): void {
    this.#pauses.set(reason, until, this.#options.clock.now());
    this.wake();
  }

  /** Ends the pause of a reason, or all pauses. Schedules that became due meanwhile start now, once each. */
  resumeSchedules(reason?: string): void {
    this.#pauses.remove(reason);
    this.wake();
  }

  /** Undefined while schedules run. */
  get schedulesPause(): { until: number; pauses: Array<{ reason: string; until: number }> } | undefined {
    const now = this.#options.clock.now();
    const until = this.#pauses.endsAt(now);
    return until === undefined ? undefined : { until, pauses: this.#pauses.list(now) };
  }

  /** Polls soon, once for any number of calls. */
  wake(): void {
    this.#isStale = true;
    this.#filling?.cancel();
    this.#filling = undefined;
    if (this.#state !== 'running' || this.#polling) return;
    // Callers wake the scheduler inside the transaction that changed the queue; the poll is a later transaction.
    this.#polling = detached(() => this.#pollWhileStale()).finally(() => {
      this.#polling = undefined;
      // A change may have arrived between the end of the last poll and this line.
      if (this.#isStale) this.wake();
    });
  }

  async #pollWhileStale(): Promise<void> {
    while (this.#isStale && this.#state === 'running') {
      this.#isStale = false;
      try {
        await this.#poll();
      } catch (error) {
        // The transaction failed (disk full, locked file), so the queue is unchanged. The next poll is a second later.
        const { clock, logger } = this.#options;
        this.#nextDueAt = clock.now() + RESOLUTION_MS;
        this.#arm();
        if (!areFilesLost(error)) logger.error({ err: error }, 'The scheduler could not poll for jobs.');
      }
    }
  }

  async #poll(): Promise<void> {
    const { database, clock } = this.#options;
    const found = await database.transaction(
      async (tx) => {
        await this.#clockSteps.handle(tx);
        return this.#queue.poll(tx, { now: clock.now(), isHeld: this.#clockSteps.isHeld });
      },
      { shared: true },
    );
    this.#nextDueAt = found.nextDueAt;
    this.#arm();
    this.#running.abort(found.cancelledIds, 'cancelled');
    for (const row of found.claimed) this.#run(row);
  }

  #run(row: JobRow): void {
    const kind = this.#kind(row.kind);
    const running = this.#running.add(row, kind, () => this.#awake.look());
    running.settled = this.#execute(running, kind);
  }

  async #execute(running: RunningJob, kind: JobKind): Promise<void> {
    const { logger } = this.#options;
    const { row, job, controller } = running;
    let failure: unknown;
    try {
      await kind.handler(job, controller.signal);
    } catch (error) {
      failure = error;
      if (!controller.signal.aborted)
        logger.warn({ err: error, job: row.id, kind: row.kind, attempt: row.attempt }, 'A job failed.');
    }
    const isShutdown = controller.signal.reason instanceof JobAborted && controller.signal.reason.kind === 'shutdown';
    const end = failure === undefined ? 'done' : isShutdown ? 'shutdown' : isVaultLocked(failure) ? 'held' : 'failed';
    // A job that its handler completed has already left the queue.
    if (!running.isCompleted) await this.#store({ job: row.id, kind: row.kind }, (tx) => this.#close(tx, row, end));
    this.#running.remove(row.id);
    this.#wakeForSlots(row.kind, kind);
  }

  /** A poll costs the same for one job as for several, so short jobs that end soon after each other share one. */
  #wakeForSlots(name: string, { concurrency }: JobKind): void {
    if (concurrency - this.#running.countOf(name) >= Math.floor(concurrency * FILLED_AT_ONCE)) return this.wake();
    this.#filling ??= this.#options.clock.after(FILL_AFTER_MS, () => this.wake());
  }

  /** Repeats until the change is stored: jobs that wait for it must not have to wait for a restart. */
  async #store(facts: object, change: (tx: Transaction) => Promise<void>): Promise<void> {
    const { clock, database, logger } = this.#options;
    for (let pauseMs = RESOLUTION_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_STORE_RETRY_MS)) {
      try {
        return await database.transaction(change, { shared: true });
      } catch (error) {
        logger.error({ err: error, ...facts }, 'A change of a job could not be stored; trying again.');
      }
      try {
        await clock.sleep(pauseMs, this.#stopping.signal);
      } catch {
        // The program ends: the row stays as it is, and the next start treats the job as interrupted.
        return;
      }
    }
  }

  /** Removes the job from the queue and frees its schedule, or queues it for another attempt. */
  async #close(tx: Transaction, row: JobRow, end: JobEnd): Promise<void> {
    const now = this.#options.clock.now();
    const kind = this.#kinds.get(row.kind);
    const current = await this.#jobs.find(tx, row.id);
    const isWanted = current?.state === 'started';
    if (isWanted && end !== 'done' && kind) {
      if (end === 'shutdown' && kind.whenInterrupted === 'retry') {
        if (row.interruptions + 1 < (kind.maxInterruptions ?? Number.POSITIVE_INFINITY))
          return this.#jobs.requeueInterrupted(tx, row.id, now);
      } else if (end === 'held' && kind.whenInterrupted === 'retry') {
        return this.#jobs.requeue(tx, row.id, now, row.attempt);
      } else if (kind.retryDelayMs && row.attempt < row.maxAttempts) {
        // An attempt that the end of the program interrupted counts as a failed attempt.
        return this.#jobs.requeue(tx, row.id, now + kind.retryDelayMs(row.attempt), row.attempt + 1);
      }
      if (kind.onUnfinished) await this.#reports.add(tx, [row.id], end === 'failed' ? 'failed' : 'interrupted');
    }
    await this.#jobs.remove(tx, row.id);
    await this.schedules.release(tx, [row]);
  }

  #arm(): void {
    const { clock } = this.#options;
    this.#timer?.cancel();
    if (this.#state !== 'running') return;
    if (this.#clockSteps.look()) this.wake();
    const delayMs = Math.min(Math.max(this.#nextDueAt - clock.now(), 1), RESOLUTION_MS);
    this.#timer = clock.after(delayMs, () => {
      this.#running.abortOverdue(this.#awake.look());
      if (clock.now() >= this.#nextDueAt) {
        // The poll determines when the next one is due.
        this.#nextDueAt = Number.POSITIVE_INFINITY;
        this.wake();
      }
      this.#arm();
    });
  }

  #kind(name: string): JobKind {
    const kind = this.#kinds.get(name);
    if (!kind) throw new Error(`The job kind ${name} is not registered.`);
    return kind;
  }

  async #settle(limitMs: number): Promise<void> {
    const ended = Promise.all(this.#running.all.map((running) => running.settled));
    const limit = new AbortController();
    const late = this.#options.clock.sleep(limitMs, limit.signal).catch(() => {
      // All jobs ended within the limit.
    });
    await Promise.race([ended, late]);
    limit.abort();
  }
}
