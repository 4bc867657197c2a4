import type { Clock, Timer } from '../lib/clock.ts';
import type { SandboxTask } from './sandbox-task.ts';
import type { WorkerProcess } from './worker-process.ts';

/** A worker that has not reported the end of a run this long after the run's time limit counts as stuck. */
const WORKER_GRACE_MS = 10_000;
const MAX_CHECK_MS = 10_000;
const CHECKS_PER_SILENCE = 10;

interface Watched {
  worker: Pick<WorkerProcess, 'kill'>;
  /** Both in milliseconds of time awake. */
  endsAt: number;
  lastHeartbeatAt: number;
}

/**
 * Workers limit the time of their runs and send heartbeats; this detects workers that no longer can, and kills them.
 * Only time awake counts: while the computer sleeps, workers cannot report and runs do not use up their time.
 */
export class RunGuard {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #checkEveryMs: number;
  readonly #watched = new Map<SandboxTask, Watched>();
  #timer: Timer | undefined;
  #awakeMs = 0;
  #checkedAt = 0;

  /** A run whose worker reports nothing for `silenceMs` is ended. */
  constructor(options: { clock: Clock; silenceMs: number }) {
    this.#clock = options.clock;
    this.#silenceMs = options.silenceMs;
    this.#checkEveryMs = Math.min(MAX_CHECK_MS, options.silenceMs / CHECKS_PER_SILENCE);
  }

  /** Watches a task until its outcome is known. */
  watch(task: SandboxTask, worker: Watched['worker']): void {
    if (this.#watched.size === 0) this.#checkedAt = this.#clock.now();
    const now = this.#awakeNow();
    this.#watched.set(task, { worker, endsAt: now + task.limits.timeoutMs + WORKER_GRACE_MS, lastHeartbeatAt: now });
    void task.outcome.then(() => this.#remove(task));
    this.#arm();
  }

  /** Called at every message about the task. */
  heartbeat(task: SandboxTask): void {
    const watched = this.#watched.get(task);
    if (watched) watched.lastHeartbeatAt = this.#awakeNow();
  }

  #remove(task: SandboxTask): void {
    this.#watched.delete(task);
    if (this.#watched.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer ??= this.#clock.after(this.#checkEveryMs, () => {
      this.#timer = undefined;
      this.#checkAll();
      if (this.#watched.size > 0) this.#arm();
    });
  }

  /** Time awake so far. Counts at most two check intervals since the last check: a later check means sleep. */
  #awakeNow(): number {
    return this.#awakeMs + Math.min(Math.max(this.#clock.now() - this.#checkedAt, 0), 2 * this.#checkEveryMs);
  }

  #checkAll(): void {
    this.#awakeMs = this.#awakeNow();
    this.#checkedAt = this.#clock.now();
    for (const [task, watched] of this.#watched) this.#checkRun(task, watched);
  }

  #checkRun(task: SandboxTask, { worker, endsAt, lastHeartbeatAt }: Watched): void {
    const isOverdue = this.#awakeMs >= endsAt;
    if (!isOverdue && this.#awakeMs - lastHeartbeatAt < this.#silenceMs) return;
    const failure = isOverdue
      ? ({ kind: 'timeout' } as const)
      : ({ kind: 'worker_lost', detail: 'The function worker stopped reporting.' } as const);
    task.end({ ok: false, failure, cpuMs: 0, memoryBytes: 0 });
    worker.kill();
  }
}
