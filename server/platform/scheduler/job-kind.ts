import type { UnfinishedReason } from './job-reports.store.ts';

/** A job, as its handler gets it. */
export interface Job {
  id: number;
  kind: string;
  group: string;
  payload: unknown;
  scheduleId: string | null;
  /** Counted from 1. */
  attempt: number;
  /** True when a failure of this attempt is final. */
  isLastAttempt: boolean;
  createdAt: number;
  /** Reports that the work is alive; needed only by kinds with `heartbeatTimeoutMs`. */
  heartbeat(): void;
}

export type { UnfinishedReason } from './job-reports.store.ts';

export interface JobKind {
  /** Must end soon after the signal aborts, whose reason is a `JobAborted`. A throw is a failed attempt. */
  handler(job: Job, signal: AbortSignal): Promise<void>;
  /** Jobs of this kind that run at the same time; further ones wait, oldest first. */
  concurrency: number;
  /** The same limit per group, so that one group cannot take all slots. */
  concurrencyPerGroup?: number;
  /**
   * When given, partitions take turns: the one with the fewest running jobs is next. This number of slots is reserved
   * for partitions that have no running job, because jobs may take hours.
   */
  slotsForIdlePartitions?: number;
  timeoutMs: number;
  /** A job that waits longer than this expires. */
  startWithinMs?: number;
  /** A running job that sends no heartbeat for this long is aborted. */
  heartbeatTimeoutMs?: number;
  /** Wait before attempt `attempt + 1`, in milliseconds; without it a failure is final. */
  retryDelayMs?(attempt: number): number;
  /** Attempts of a job that does not set its own number. Default 1. */
  maxAttempts?: number;
  /**
   * Whether a job that the end of the process or a lock of the vault interrupted runs again afterwards. Default `fail`.
   */
  whenInterrupted?: 'fail' | 'retry';
  /**
   * With `retry`: the number of interruptions by the end of the program after which the job is not repeated. Default:
   * no limit.
   */
  maxInterruptions?: number;
  /**
   * Called for every job that ended without its handler: `expired`, `interrupted`, or `failed` (the last attempt
   * threw). The report is stored together with the end of the job and delivered soon after, outside of the queue. It is
   * delivered again when this throws or the program ends meanwhile, so it must accept the same report twice.
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

export interface JobSpec {
  kind: string;
  payload: unknown;
  /** Jobs of one group share `concurrencyPerGroup`. Default: one group for all. */
  group?: string;
  /** Partitions take turns in kinds with `slotsForIdlePartitions`. Default: one partition for all. */
  partition?: string;
  /** Milliseconds since the epoch; default now. */
  runAt?: number;
  maxAttempts?: number;
}
