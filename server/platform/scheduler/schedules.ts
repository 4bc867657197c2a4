import type { ReadHandle, Transaction } from '../database/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { JobKind } from './job-kind.ts';
import type { JobRow, JobsStore } from './jobs.store.ts';
import type { ScheduleRow, SchedulesStore } from './schedules.store.ts';

export interface ScheduleSpec {
  /** Unique; chosen by the owner. */
  id: string;
  kind: string;
  group: string;
  /** Default: one partition for all. */
  partition?: string;
  payload: unknown;
  isStarted: boolean;
  frequencyMs: number;
}

/** A run that was requested. */
interface ScheduledRun {
  scheduleId: string;
  group: string;
  /** Default: one partition for all. */
  partition?: string;
  payload: unknown;
}

interface SchedulesOptions {
  jobsStore: JobsStore;
  schedulesStore: SchedulesStore;
  clock: Clock;
  wake: () => void;
  kindOf: (name: string) => JobKind;
}

/**
 * Repeating jobs. Slots lie on the grid `creation + k * frequency`. A schedule never has two live runs; slots that pass
 * during a run, or while the program is closed, start one run in total.
 */
export class Schedules {
  readonly #options: SchedulesOptions;

  constructor(options: SchedulesOptions) {
    this.#options = options;
  }

  /** Creates schedules. A started one is due at once; a paused one is due when it is started. */
  async create(tx: Transaction, specs: ScheduleSpec[]): Promise<void> {
    const startsAt = this.#options.clock.now();
    await this.#options.schedulesStore.insertMany(
      tx,
      specs.map(({ isStarted, payload, ...spec }) => ({
        partition: '',
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

  /** Resolves to the ids of the schedules that were paused. */
  async start(tx: Transaction, ids: string[]): Promise<string[]> {
    const started = await this.#options.schedulesStore.setState(tx, ids, 'started');
    this.#options.wake();
    return started;
  }

  /**
   * Pauses schedules and cancels their queued and running runs. A schedule that is already paused is left unchanged,
   * including a run that was requested. Resolves to the ids of those that were not paused.
   */
  async pause(tx: Transaction, ids: string[]): Promise<string[]> {
    const paused = await this.#options.schedulesStore.setState(tx, ids, 'paused');
    await this.cancelRuns(tx, paused);
    return paused;
  }

  /** Removes schedules and cancels their queued and running runs. */
  async remove(tx: Transaction, ids: string[]): Promise<void> {
    await this.cancelRuns(tx, ids);
    await this.#options.schedulesStore.remove(tx, ids);
  }

  /** Cancels the queued and running runs of schedules. */
  async cancelRuns(tx: Transaction, ids: string[]): Promise<void> {
    await this.#options.schedulesStore.clearQueuedJobs(tx, ids);
    await this.#options.jobsStore.cancelOfSchedules(tx, ids);
    this.#options.wake();
  }

  async setFrequency(tx: Transaction, ids: string[], frequencyMs: number): Promise<void> {
    await this.#options.schedulesStore.setFrequency(tx, ids, frequencyMs, this.#options.clock.now());
    this.#options.wake();
  }

  /**
   * Starts one run of each schedule now, whatever its state; the grid does not move. The caller has cancelled live runs
   * or knows that there are none: a second live run violates a unique index. A run that is being cancelled ends before
   * the new one begins.
   */
  async runNow(tx: Transaction, kind: string, runs: ScheduledRun[]): Promise<void> {
    if (runs.length === 0) return;
    const { jobsStore: jobs, schedulesStore: schedules, clock, kindOf, wake } = this.#options;
    const now = clock.now();
    const { startWithinMs } = kindOf(kind);
    const made = await jobs.insertRuns(
      tx,
      runs.map(({ payload, ...run }) => ({ partition: '', ...run, payload: JSON.stringify(payload) })),
      { kind, now, startBefore: startWithinMs === undefined ? null : now + startWithinMs },
    );
    await schedules.setLiveJobs(tx, made);
    wake();
  }

  /** Ids of the schedules with a queued or running run that was not cancelled. */
  async listLive(db: ReadHandle, ids: string[]): Promise<Set<string>> {
    return new Set(await this.#options.jobsStore.listLiveSchedules(db, ids));
  }

  /** Frees the schedules of these jobs, which have ended, for their next runs. */
  release(tx: Transaction, jobs: ReadonlyArray<Pick<JobRow, 'id' | 'scheduleId' | 'startedAt'>>): Promise<void> {
    return this.#options.schedulesStore.release(tx, jobs, this.#options.clock.now());
  }
}
