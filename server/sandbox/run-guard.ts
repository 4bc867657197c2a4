import type { Clock, Timer } from '../lib/clock.ts';
import type { SandboxTask } from './sandbox-task.ts';
import type { WorkerProcess } from './worker-process.ts';

/** How long after its time limit a run may go unreported before its worker is taken for stuck. */
const WORKER_GRACE_MS = 10_000;
const LONGEST_LOOK_MS = 10_000;
const LOOKS_PER_SILENCE = 10;

interface Watched {
  worker: Pick<WorkerProcess, 'kill'>;
  /** Both in time awake. */
  endsAt: number;
  lastSignAt: number;
}

/**
 * Workers keep the time of their runs and say that they are alive; this only notices one that no longer can. It counts
 * time awake: while the computer sleeps no worker can report, and no run gets older.
 */
export class RunGuard {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #lookEveryMs: number;
  readonly #watched = new Map<SandboxTask, Watched>();
  #timer: Timer | undefined;
  #awakeMs = 0;
  #lookedAt = 0;

  /** A run that gives no sign of life for `silenceMs` is given up. */
  constructor(options: { clock: Clock; silenceMs: number }) {
    this.#clock = options.clock;
    this.#silenceMs = options.silenceMs;
    this.#lookEveryMs = Math.min(LONGEST_LOOK_MS, options.silenceMs / LOOKS_PER_SILENCE);
  }

  watch(task: SandboxTask, worker: Watched['worker']): void {
    if (this.#watched.size === 0) this.#lookedAt = this.#clock.now();
    const now = this.#awakeNow();
    this.#watched.set(task, { worker, endsAt: now + task.limits.timeoutMs + WORKER_GRACE_MS, lastSignAt: now });
    void task.outcome.then(() => this.#forget(task));
    this.#arm();
  }

  sign(task: SandboxTask): void {
    const watched = this.#watched.get(task);
    if (watched) watched.lastSignAt = this.#awakeNow();
  }

  #forget(task: SandboxTask): void {
    this.#watched.delete(task);
    if (this.#watched.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer ??= this.#clock.after(this.#lookEveryMs, () => {
      this.#timer = undefined;
      this.#look();
      if (this.#watched.size > 0) this.#arm();
    });
  }

  /** A look that comes much too late means that the computer slept. */
  #awakeNow(): number {
    return this.#awakeMs + Math.min(Math.max(this.#clock.now() - this.#lookedAt, 0), 2 * this.#lookEveryMs);
  }

  #look(): void {
    this.#awakeMs = this.#awakeNow();
    this.#lookedAt = this.#clock.now();
    for (const [task, watched] of this.#watched) this.#check(task, watched);
  }

  #check(task: SandboxTask, { worker, endsAt, lastSignAt }: Watched): void {
    const isOverdue = this.#awakeMs >= endsAt;
    if (!isOverdue && this.#awakeMs - lastSignAt < this.#silenceMs) return;
    const failure = isOverdue
      ? ({ kind: 'timeout' } as const)
      : ({ kind: 'worker_lost', detail: 'The function worker gave no sign of life.' } as const);
    task.end({ ok: false, failure, cpuMs: 0, memoryBytes: 0 });
    worker.kill();
  }
}
