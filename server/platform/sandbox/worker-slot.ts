import type { Clock, Timer } from '../lib/clock.ts';
import { type WorkerOptions, WorkerProcess } from './worker-process.ts';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;

type SlotOptions = Pick<
  WorkerOptions,
  | 'execPath'
  | 'workerEntry'
  | 'env'
  | 'settings'
  | 'bundlesKept'
  | 'logger'
  | 'silentMs'
  | 'deadMs'
  | 'reaper'
  | 'onAlive'
  | 'onReused'
> & {
  clock: Clock;
  /** Called when a worker is ready, or has a free slot again. */
  onSlotFree: () => void;
};

/**
 * Keeps one worker running. A lost worker is replaced at once, however often: a function that ends its worker must not
 * delay others. A worker that fails before it is ready is started again after growing pauses.
 */
export class WorkerSlot {
  readonly #options: SlotOptions;
  /** The worker that takes new tasks, and the workers that only finish theirs. */
  #current: WorkerProcess | undefined;
  readonly #all = new Set<WorkerProcess>();
  readonly #firstReady = Promise.withResolvers<void>();
  #restart: Timer | undefined;
  /** Number of failed starts in a row. */
  #failedStarts = 0;
  #isStarted = false;
  #isStopped = false;
  #lost = 0;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  get current(): WorkerProcess | undefined {
    return this.#current?.isReady ? this.#current : undefined;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  get all(): ReadonlySet<WorkerProcess> {
    return this.#all;
  }

  /** Number of workers that ended without being asked to. */
  get lost(): number {
    return this.#lost;
  }

  /** Starts a worker. Resolves when the first worker of the slot is ready, rejects if that ends before. */
  start(): Promise<void> {
    this.#isStarted = true;
    this.#spawn();
    return this.#firstReady.promise;
  }

  /** Ends a worker without tasks; the slot can be started again. */
  endIdle(): void {
    const worker = this.#current;
    if (!worker || worker.running > 0) return;
    this.#current = undefined;
    this.#isStarted = false;
    worker.kill();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#restart?.cancel();
    const workers = [...this.#all];
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map((worker) => worker.exited));
  }

  #spawn(): void {
    if (this.#isStopped) return;
    let wasReady = false;
    const worker: WorkerProcess = new WorkerProcess({
      ...this.#options,
      onReady: () => {
        this.#failedStarts = 0;
        wasReady = true;
        this.#firstReady.resolve();
        this.#options.onSlotFree();
      },
      onRetire: () => {
        this.#options.logger.warn({ pid: worker.pid }, 'function worker is being replaced by another');
        if (this.#current === worker) this.#spawn();
      },
      onExit: () => this.#onExit(worker, wasReady),
    });
    this.#current = worker;
    this.#all.add(worker);
  }

  #onExit(worker: WorkerProcess, wasReady: boolean): void {
    this.#all.delete(worker);
    if (this.#isStopped) return;
    this.#firstReady.reject(new Error(`The function worker did not start: ${worker.errorText.trim()}`));
    if (this.#current !== worker) return;
    this.#current = undefined;
    this.#lost++;
    const { clock, logger } = this.#options;
    const { pid, lostRuns: runs, errorText: stderr } = worker;
    logger.warn({ pid, runs, stderr }, 'function worker lost, starting another');
    if (wasReady || ++this.#failedStarts < 2) return this.#spawn();
    const delay = Math.min(FIRST_DELAY_MS * 2 ** (this.#failedStarts - 2), MAX_DELAY_MS);
    this.#restart = clock.after(delay, () => this.#spawn());
  }
}
