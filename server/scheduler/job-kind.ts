import type { UnfinishedReason } from '../stores/job-reports-store.ts';

/** What a handler gets to know about its job. */
export interface Job {
  id: number;
  kind: string;
  group: string;
  payload: unknown;
  scheduleId: string | null;
  /** From 1. */
  attempt: number;
  /** A failure of this attempt is final. */
  isLastAttempt: boolean;
  createdAt: number;
  /** Reports that the work is alive; needed only by kinds with `heartbeatTimeoutMs`. */
  heartbeat(): void;
}

export type { UnfinishedReason } from '../stores/job-reports-store.ts';

export interface JobKind {
  /** Must come back soon after the signal aborts; its reason is a `JobAborted`. A throw is a failed attempt. */
  handler(job: Job, signal: AbortSignal): Promise<void>;
  /** Jobs of this kind that run at a time; further ones wait, oldest first. */
  concurrency: number;
  /** The same per group, so that one group cannot take every slot. */
  concurrencyPerGroup?: number;
  /**
   * Given, partitions take turns: the one with the fewest running jobs is next. So many slots are kept for partitions of which
   * nothing runs, for jobs may take hours.
   */
  slotsForIdlePartitions?: number;
  timeoutMs: number;
  /** A job that waits longer expires. */
  startWithinMs?: number;
  /** A job that does not beat for this long is aborted. */
  heartbeatTimeoutMs?: number;
  /** Pause before attempt `attempt + 1`; without it a failure is final. */
  retryDelayMs?(attempt: number): number;
  /** Attempts of a job that names none. Default 1. */
  maxAttempts?: number;
  /** Whether a job that the end of the process, or the vault's lock, cut off runs again afterwards. Default `fail`. */
  whenInterrupted?: 'fail' | 'retry';
  /** With `retry`: the end of the program that cuts off the same job for this time is its end. Default: never. */
  mostInterruptions?: number;
  /**
   * Called for every job that ended without its handler: `expired`, `interrupted`, or `failed` (the last attempt
   * threw). The report is stored with the end of the job and delivered soon after, outside of the queue; again when
   * this throws or the program ends meanwhile. So it must accept a report twice.
   */
  onUnfinished?(job: Job, reason: UnfinishedReason): Promise<void>;
}

export type AbortKind = 'cancelled' | 'timeout' | 'heartbeat' | 'shutdown';

/** Reason of a job's AbortSignal. */
export class JobAborted extends Error {
  override readonly name = 'JobAborted';
  readonly kind: AbortKind;

  constructor(kind: AbortKind) {
    super(`The job was ended: ${kind}.`);
    this.kind = kind;
  }
}
