import type { ReadHandle, Transaction } from '../database/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { JobsStore } from '../stores/jobs-store.ts';
import type { ScheduleRow, SchedulesStore } from '../stores/schedules-store.ts';
import type { JobKind } from './job-kind.ts';

export interface ScheduleSpec {
  /** Given by the owner, unique. */
  id: string;
  kind: string;
  group: string;
  /** Default: one lane for all. */
  lane?: string;
  payload: unknown;
  isStarted: boolean;
  frequencyMs: number;
}

interface SchedulesOptions {
  jobsStore: JobsStore;
  schedulesStore: SchedulesStore;
  clock: Clock;
  wake: () => void;
  kindOf: (name: string) => JobKind;
}

/**
 * Repeating jobs. Slots lie on the grid `creation + k * frequency`; a schedule never has two live runs, and
 * slots that pass during a run or while the program is closed are taken once.
 */
export class Schedules {
  readonly #options: SchedulesOptions;

  constructor(options: SchedulesOptions) {
    this.#options = options;
  }

  /** A started one is due at once; a paused one is due at its start. */
  async create(tx: Transaction, specs: ScheduleSpec[]): Promise<void> {
    const startsAt = this.#options.clock.now();
    await this.#options.schedulesStore.insertMany(
      tx,
      specs.map(({ isStarted, payload, ...spec }) => ({
        lane: '',
        ...spec,
        payload: JSON.stringify(payload),
        state: isStarted ? 'started' : 'paused',
        startsAt,
      })),
    );
    this.#options.wake();
  }

  find(db: ReadHandle, id: string): Promise<ScheduleRow | undefined> {
    return this.#options.schedulesStore.find(db, id);
  }

  async start(tx: Transaction, ids: string[]): Promise<void> {
    await this.#options.schedulesStore.setState(tx, ids, 'started');
    this.#options.wake();
  }

  /** Queued and running runs are cancelled. What is paused already stays as it is, a run that was asked for included. */
  async pause(tx: Transaction, ids: string[]): Promise<void> {
    const paused = await this.#options.schedulesStore.setState(tx, ids, 'paused');
    await this.cancelRuns(tx, paused);
  }

  /** Queued and running runs are cancelled. */
  async remove(tx: Transaction, ids: string[]): Promise<void> {
    await this.cancelRuns(tx, ids);
    await this.#options.schedulesStore.remove(tx, ids);
  }

  async cancelRuns(tx: Transaction, ids: string[]): Promise<void> {
    await this.#options.schedulesStore.forgetQueuedJobs(tx, ids);
    await this.#options.jobsStore.cancelOfSchedules(tx, ids);
    this.#options.wake();
  }

  async setFrequency(tx: Transaction, ids: string[], frequencyMs: number): Promise<void> {
    await this.#options.schedulesStore.setFrequency(tx, ids, frequencyMs, this.#options.clock.now());
    this.#options.wake();
  }

  /**
   * One run now, whatever the schedule's state; the grid does not move. The caller has cancelled a live run or
   * knows that there is none: a second live run violates a unique index. A cancelled run ends before this one begins.
   */
  async runNow(
    tx: Transaction,
    id: string,
    spec: { kind: string; group: string; lane?: string; payload: unknown },
  ): Promise<void> {
    const { jobsStore: jobs, schedulesStore: schedules, clock, kindOf, wake } = this.#options;
    const now = clock.now();
    const startWithinMs = kindOf(spec.kind).startWithinMs;
    const jobId = await jobs.insert(tx, {
      kind: spec.kind,
      group: spec.group,
      lane: spec.lane ?? '',
      payload: JSON.stringify(spec.payload),
      scheduleId: id,
      maxAttempts: 1,
      runAt: now,
      startBefore: startWithinMs === undefined ? null : now + startWithinMs,
      createdAt: now,
    });
    await schedules.setLiveJob(tx, id, jobId);
    wake();
  }

  /** A queued or running run that nobody told to stop. */
  async hasLiveRun(db: ReadHandle, id: string): Promise<boolean> {
    return this.#options.jobsStore.isScheduleLive(db, id);
  }

  release(tx: Transaction, id: string, jobId: number, startedAt: number): Promise<void> {
    return this.#options.schedulesStore.release(tx, id, jobId, startedAt, this.#options.clock.now());
  }
}
