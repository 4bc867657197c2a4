import { type AbortKind, type Job, JobAborted, type JobKind } from './job-kind.ts';
import type { JobReportRow } from './job-reports.store.ts';
import type { JobRow } from './jobs.store.ts';

export interface RunningJob {
  readonly row: JobRow;
  readonly job: Job;
  readonly controller: AbortController;
  /** This and the last heartbeat are in milliseconds of time awake. */
  readonly deadlineAt: number;
  readonly heartbeatTimeoutMs: number | undefined;
  lastHeartbeatAt: number;
  /** Its handler has removed it from the queue, together with storing its result. */
  isCompleted: boolean;
  /** Resolves when the job has ended and its end is stored. */
  settled: Promise<void>;
}

/** The running jobs of this process, counted by kind and group. */
export class RunningJobs {
  readonly #jobs = new Map<number, RunningJob>();

  /** `awakeMs` returns the time awake. */
  add(row: JobRow, kind: JobKind, awakeMs: () => number): RunningJob {
    const running: RunningJob = {
      row,
      job: toJob(row, () => {
        running.lastHeartbeatAt = awakeMs();
      }),
      controller: new AbortController(),
      deadlineAt: awakeMs() + kind.timeoutMs,
      heartbeatTimeoutMs: kind.heartbeatTimeoutMs,
      lastHeartbeatAt: awakeMs(),
      isCompleted: false,
      settled: Promise.resolve(),
    };
    this.#jobs.set(row.id, running);
    return running;
  }

  markCompleted(jobs: ReadonlyArray<Pick<JobRow, 'id'>>): void {
    for (const { id } of jobs) {
      const running = this.#jobs.get(id);
      if (running) running.isCompleted = true;
    }
  }

  remove(id: number): void {
    this.#jobs.delete(id);
  }

  get all(): RunningJob[] {
    return [...this.#jobs.values()];
  }

  countOf(kind: string): number {
    return this.all.filter((running) => running.row.kind === kind).length;
  }

  /** Number of running jobs by partition. Includes `claimed` jobs, which are about to start. */
  countByPartition(kind: string, claimed: JobRow[]): Map<string, number> {
    return this.#count(kind, claimed, ({ partition }) => partition);
  }

  /** As `countByPartition`, by group. */
  countByGroup(kind: string, claimed: JobRow[]): Map<string, number> {
    return this.#count(kind, claimed, ({ group }) => group);
  }

  #count(kind: string, claimed: JobRow[], keyOf: (row: JobRow) => string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const row of [...this.all.map((running) => running.row), ...claimed]) {
      if (row.kind === kind) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
    }
    return counts;
  }

  groupsAtLimit(kind: string, limit: number, claimed: JobRow[]): string[] {
    return [...this.countByGroup(kind, claimed)].filter(([, count]) => count >= limit).map(([group]) => group);
  }

  get scheduleIds(): string[] {
    return this.all.flatMap(({ row }) => (row.scheduleId === null ? [] : [row.scheduleId]));
  }

  abort(ids: Iterable<number>, kind: AbortKind): void {
    for (const id of ids) this.#jobs.get(id)?.controller.abort(new JobAborted(kind));
  }

  /** Aborts jobs that run longer than their limit or sent no heartbeat for too long. */
  abortOverdue(awakeMs: number): void {
    for (const running of this.all) {
      if (awakeMs >= running.deadlineAt) this.abort([running.row.id], 'timeout');
      else if (
        running.heartbeatTimeoutMs !== undefined &&
        awakeMs - running.lastHeartbeatAt >= running.heartbeatTimeoutMs
      ) {
        this.abort([running.row.id], 'heartbeat');
      }
    }
  }
}

export function toJob(row: JobRow | JobReportRow, heartbeat: () => void = () => {}): Job {
  return {
    id: row.id,
    kind: row.kind,
    group: row.group,
    payload: JSON.parse(row.payload) as unknown,
    scheduleId: row.scheduleId,
    attempt: row.attempt,
    isLastAttempt: row.attempt >= row.maxAttempts,
    createdAt: row.createdAt,
    heartbeat,
  };
}
