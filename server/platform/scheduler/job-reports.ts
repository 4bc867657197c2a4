import type { Database, Transaction } from '../database/database.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { detached } from '../lib/detached.ts';
import type { Logger } from '../lib/logger.ts';
import type { JobKind, UnfinishedReason } from './job-kind.ts';
import { type JobReportRow, JobReportsStore } from './job-reports.store.ts';
import { toJob } from './running-jobs.ts';

interface JobReportsOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  kinds: ReadonlyMap<string, JobKind>;
}

const READ_AT_ONCE = 100;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 10 * 60_000;

/**
 * Reports jobs that ended without their handler to their kinds, one after the other, independently of the queue. A
 * report stays stored until its kind has accepted it, so none is lost when the process is killed.
 */
export class JobReports {
  readonly #options: JobReportsOptions;
  readonly #store = new JobReportsStore();
  #state: 'new' | 'running' | 'stopped' = 'new';
  #work: Promise<void> | undefined;
  #isStale = false;
  #isHeld = false;
  #timer: Timer | undefined;
  #retryMs = FIRST_RETRY_MS;

  constructor(options: JobReportsOptions) {
    this.#options = options;
  }

  /** Moves the jobs out of the queue in the caller's transaction; they are reported after it is committed. */
  async add(tx: Transaction, jobIds: number[], reason: UnfinishedReason): Promise<void> {
    if (jobIds.length === 0) return;
    await this.#store.moveJobs(tx, jobIds, reason);
    tx.afterCommit(() => this.wake());
  }

  start(): void {
    this.#state = 'running';
    this.wake();
  }

  /** Stops reporting until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#retryMs = FIRST_RETRY_MS;
    this.wake();
  }

  /** Waits for the report that is being delivered. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#timer?.cancel();
    await this.#work;
  }

  /** Delivers the stored reports soon. */
  wake(): void {
    this.#isStale = true;
    if (this.#state !== 'running' || this.#isHeld || this.#work) return;
    this.#work = detached(() => this.#deliverWhileStale()).finally(() => {
      this.#work = undefined;
      if (this.#isStale) this.wake();
    });
  }

  async #deliverWhileStale(): Promise<void> {
    while (this.#isStale && !this.#isHeld && this.#state === 'running') {
      this.#isStale = false;
      this.#timer?.cancel();
      if (await this.#deliverAll()) {
        this.#retryMs = FIRST_RETRY_MS;
        continue;
      }
      this.#timer = this.#options.clock.after(this.#retryMs, () => this.wake());
      this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
    }
  }

  /** Resolves to false when a report must be delivered again. A report that fails does not delay the following ones. */
  async #deliverAll(): Promise<boolean> {
    let isAllDelivered = true;
    let last = 0;
    for (;;) {
      const rows = await this.#list(last);
      if (!rows) return false;
      for (const row of rows) {
        if (this.#state !== 'running' || this.#isHeld) return true;
        if (!(await this.#deliver(row))) isAllDelivered = false;
        last = row.id;
      }
      if (rows.length < READ_AT_ONCE) return isAllDelivered;
    }
  }

  async #list(after: number): Promise<JobReportRow[] | undefined> {
    try {
      return await this.#store.list(this.#options.database.reader, after, READ_AT_ONCE);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'The reports of unfinished jobs could not be read; trying again.');
      return undefined;
    }
  }

  async #deliver(row: JobReportRow): Promise<boolean> {
    const { database, kinds, logger } = this.#options;
    try {
      await kinds.get(row.kind)?.onUnfinished?.(toJob(row), row.reason);
      await database.transaction((tx) => this.#store.remove(tx, row.id));
      return true;
    } catch (error) {
      const fields = { err: error, job: row.id, kind: row.kind, reason: row.reason };
      logger.error(fields, 'An unfinished job could not be reported; trying again later.');
      return false;
    }
  }
}
