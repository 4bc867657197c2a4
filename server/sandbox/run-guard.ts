import type { Clock, Timer } from '../lib/clock.ts';
import type { SandboxTask } from './sandbox-task.ts';
import type { WorkerProcess } from './worker-process.ts';

/** How long after its time limit a run may stay unreported before its worker counts as stuck. */
const WORKER_GRACE_MS = 10_000;
const LONGEST_CHECK_MS = 10_000;
const CHECKS_PER_SILENCE = 10;

interface Watched {
  worker: Pick<WorkerProcess, 'kill'>;
  /** Both in milliseconds awake. */
  endsAt: number;
  lastSignAt: number;
}

/**
 * Workers limit the time of their runs and report that they are alive; this only detects a worker that no longer can.
 * It counts time awake: while the computer sleeps, workers cannot report and runs do not use up their time.
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
    this.#checkEveryMs = Math.min(LONGEST_CHECK_MS, options.silenceMs / CHECKS_PER_SILENCE);
  }

  watch(task: SandboxTask, worker: Watched['worker']): void {
    if (this.#watched.size === 0) this.#checkedAt = this.#clock.now();
    const now = this.#awakeNow();
    this.#watched.set(task, { worker, endsAt: now + task.limits.timeoutMs + WORKER_GRACE_MS, lastSignAt: now });
    void task.outcome.then(() => this.#remove(task));
    this.#arm();
  }

  sign(task: SandboxTask): void {
    const watched = this.#watched.get(task);
    if (watched) watched.lastSignAt = this.#awakeNow();
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

  /** A check that runs much too late means that the computer slept. */
  #awakeNow(): number {
    return this.#awakeMs + Math.min(Math.max(this.#clock.now() - this.#checkedAt, 0), 2 * this.#checkEveryMs);
  }

  #checkAll(): void {
    this.#awakeMs = this.#awakeNow();
    this.#checkedAt = this.#clock.now();
    for (const [task, watched] of this.#watched) this.#checkRun(task, watched);
  }

  #checkRun(task: SandboxTask, { worker, endsAt, lastSignAt }: Watched): void {
    const isOverdue = this.#awakeMs >= endsAt;
    if (!isOverdue && this.#awakeMs - lastSignAt < this.#silenceMs) return;
    const failure = isOverdue
      ? ({ kind: 'timeout' } as const)
      : ({ kind: 'worker_lost', detail: 'The function worker stopped reporting.' } as const);
    task.end({ ok: false, failure, cpuMs: 0, memoryBytes: 0 });
    worker.kill();
  }
}
