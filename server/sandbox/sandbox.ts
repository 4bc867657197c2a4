import type { RawDefinition, RunFailure, RunOutcome } from '../../functions/runtime/bridge.ts';
import type { DescribedPart } from '../../functions/runtime/guest-link.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { DescribeQueue, joinBundles } from './describe-queue.ts';
import { type Bundle, type RunHost, type RunSpec, SandboxTask } from './sandbox-task.ts';
import { TaskQueue } from './task-queue.ts';
import type { WorkerProcess } from './worker-process.ts';
import type { TaskLimits } from './worker-protocol.ts';
import { WorkerSlot } from './worker-slot.ts';

export interface SandboxLimits {
  /** Runs at the same time in one worker. */
  runsPerWorker: number;
  /** Isolates each worker keeps ready, about 5 MB each. */
  warmIsolates: number;
  /** Memory of the isolates kept ready; a run with another limit starts colder. */
  memoryMb: number;
  /** Processor time that a function may use in one piece. */
  sliceMs: number;
  /** Bundles each worker remembers. */
  bundlesPerWorker: number;
  describeTimeoutMs: number;
}

const DEFAULT_LIMITS: SandboxLimits = {
  runsPerWorker: 16,
  warmIsolates: 2,
  memoryMb: 128,
  sliceMs: 60_000,
  bundlesPerWorker: 200,
  describeTimeoutMs: 10_000,
};

export interface SandboxOptions {
  guestCode: string;
  /** Most worker processes; one is always there. */
  workers: number;
  logger: Logger;
  clock: Clock;
  /** Path of `worker-main`, as source or bundled. */
  workerEntry: string;
  /** The Node that runs the workers. */
  execPath: string;
  /** The whole environment of the workers; empty unless the system needs something. */
  env?: Record<string, string>;
  limits?: Partial<SandboxLimits>;
}

interface SandboxStats {
  queued: number;
  running: number;
  workersLost: number;
  workers: Array<{ pid: number | undefined; running: number; isReady: boolean }>;
}

/** So many runs within this time are a caller who runs one after the other. */
const QUICK_SUCCESSION_RUNS = 10;
const QUICK_SUCCESSION_MS = 1000;
/** So many runs at the same time are well served by one worker: its isolates run on threads of their own. */
const RUNS_BEFORE_ANOTHER = 4;
const DESCRIBE_BYTES = 16 * 1024 * 1024;
/** How long after its time limit a run may go unreported before its worker is taken for stuck. */
const WORKER_GRACE_MS = 10_000;
/** Five minutes without a word of a run: its worker is stuck. A sleep of the computer counts as one look. */
const LOOK_EVERY_MS = 30_000;
const MOST_SILENT_LOOKS = 10;
const NO_HOST: RunHost = {
  call: () => Promise.reject(new Error('A bundle that is only described has no host.')),
  log: () => {},
};

/** Runs functions in isolates of worker processes: the door that author code never gets through. */
export class Sandbox {
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #slots: WorkerSlot[];
  readonly #queue = new TaskQueue();
  readonly #describeQueue: DescribeQueue;
  #nextTask = 1;
  readonly #lastUse = new WeakMap<WorkerProcess, number>();
  #uses = 0;
  /** When the last few runs began. */
  readonly #recentStarts: number[] = [];
  #isStopped = false;

  constructor(options: SandboxOptions) {
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { guestCode, logger, clock, workerEntry, execPath, env = {} } = options;
    const { warmIsolates, memoryMb, sliceMs, bundlesPerWorker: bundlesKept } = limits;
    const settings = { guestCode, warmIsolates, memoryMb, sliceMs };
    const slotOptions = {
      execPath,
      workerEntry,
      env,
      settings,
      bundlesKept,
      logger,
      clock,
      onRoom: () => this.#pump(),
    };
    this.#limits = limits;
    this.#clock = clock;
    this.#logger = logger;
    this.#describeQueue = new DescribeQueue({
      clock,
      describeAlone: (bundle) => this.#describe<RawDefinition>(bundle),
      describeTogether: (bundles) =>
        this.#describe<DescribedPart[]>(
          joinBundles(bundles),
          bundles.map(({ fileName }) => fileName),
        ),
    });
    this.#slots = Array.from({ length: options.workers }, () => new WorkerSlot(slotOptions));
  }

  /** Resolves when the first worker is ready; the others start when there is work for them. */
  async start(): Promise<void> {
    await this.#slots[0]?.start();
  }

  /** Never rejects: every way to end is an outcome. */
  run(spec: RunSpec, host: RunHost): Promise<RunOutcome> {
    return this.#enqueue(new SandboxTask(this.#nextTask++, host, spec), spec.signal);
  }

  /** Loads a bundle without running it; rejects with a `DescribeError` when that fails. */
  describe(bundle: Bundle): Promise<RawDefinition> {
    return this.#describeQueue.add(bundle);
  }

  stats(): SandboxStats {
    const workers = this.#workers().map(({ pid, running, isReady }) => ({ pid, running, isReady }));
    return {
      workers,
      queued: this.#queue.size,
      running: workers.reduce((sum, worker) => sum + worker.running, 0),
      workersLost: this.#slots.reduce((sum, slot) => sum + slot.lost, 0),
    };
  }

  /** Ends every run; whoever waits for one gets `aborted` or `worker_lost`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const task of this.#queue.drain()) task.end(failed({ kind: 'aborted' }));
    await Promise.all(this.#slots.map((slot) => slot.stop()));
  }

  async #describe<T>(bundle: Bundle, parts?: string[]): Promise<T> {
    const { describeTimeoutMs: timeoutMs, memoryMb } = this.#limits;
    const limits: TaskLimits = { timeoutMs, memoryMb, outputBytes: DESCRIBE_BYTES, messageBytes: DESCRIBE_BYTES };
    const spec = { bundle, limits, ...(parts ? { parts } : {}) };
    const outcome = await this.#enqueue(new SandboxTask(this.#nextTask++, NO_HOST, spec));
    if (!outcome.ok) throw new DescribeError(outcome.failure);
    return JSON.parse(outcome.output) as T;
  }

  #enqueue(task: SandboxTask, signal?: AbortSignal): Promise<RunOutcome> {
    if (signal?.aborted || this.#isStopped) {
      task.end(failed({ kind: 'aborted' }));
      return task.outcome;
    }
    const onAbort = (): void => this.#abort(task);
    signal?.addEventListener('abort', onAbort, { once: true });
    void task.outcome.then(() => signal?.removeEventListener('abort', onAbort));
    this.#queue.add(task);
    this.#pump();
    return task.outcome;
  }

  #abort(task: SandboxTask): void {
    this.#queue.remove(task);
    task.end(failed({ kind: 'aborted' }));
    for (const worker of this.#workers()) worker.abort(task);
  }

  /** Hands out waiting tasks, first come first served, each to the least busy worker. */
  #pump(): void {
    for (let task = this.#queue.first; task; task = this.#queue.first) {
      const worker = this.#leastBusy();
      if (!worker || worker.running >= this.#placesFor(task)) return;
      this.#queue.remove(task);
      worker.run(task);
      this.#guard(task, worker);
      this.#lastUse.set(worker, ++this.#uses);
      if (worker.running > RUNS_BEFORE_ANOTHER || this.#isQuickSuccession(task)) this.#startAnother();
    }
  }

  /**
   * Each depth has places that the runs above it cannot take: parents that hold every place while they wait for
   * their children would otherwise wait for ever.
   */
  #placesFor({ depth }: SandboxTask): number {
    const { runsPerWorker } = this.#limits;
    return runsPerWorker + depth * Math.ceil(runsPerWorker / 4);
  }

  /** One at a time: a worker costs about 90 MB and a third of a second. */
  #startAnother(): void {
    if (this.#slots.some((slot) => slot.isStarted && !slot.current)) return;
    const slot = this.#slots.find((candidate) => !candidate.isStarted);
    slot?.start().catch((error: Error) => this.#logger.error({ err: error.message }, 'function worker not started'));
  }

  /** The worker keeps the time; this only notices one that no longer can. */
  #guard(task: SandboxTask, worker: WorkerProcess): void {
    const timer = this.#clock.after(task.limits.timeoutMs + WORKER_GRACE_MS, () => {
      task.end(failed({ kind: 'timeout' }));
      worker.kill();
    });
    const listen = (): Timer =>
      this.#clock.after(LOOK_EVERY_MS, () => {
        if (task.countSilence() >= MOST_SILENT_LOOKS) worker.kill();
        else silence = listen();
      });
    let silence = listen();
    void task.outcome.then(() => {
      timer.cancel();
      silence.cancel();
    });
  }

  /** Of several equally busy ones the one that rested longest: it has had time to make new isolates. */
  #leastBusy(): WorkerProcess | undefined {
    const ready = this.#slots.map((slot) => slot.current).filter((worker) => worker !== undefined);
    const lastUse = (worker: WorkerProcess): number => this.#lastUse.get(worker) ?? 0;
    return ready.sort((a, b) => a.running - b.running || lastUse(a) - lastUse(b))[0];
  }

  /** One worker cannot make isolates as fast as such a caller uses them up, one run after the other. */
  #isQuickSuccession({ context }: SandboxTask): boolean {
    if (!context) return false;
    const now = this.#clock.now();
    this.#recentStarts.push(now);
    if (this.#recentStarts.length > QUICK_SUCCESSION_RUNS) this.#recentStarts.shift();
    return (
      this.#recentStarts.length === QUICK_SUCCESSION_RUNS && now - (this.#recentStarts[0] ?? 0) < QUICK_SUCCESSION_MS
    );
  }

  #workers(): WorkerProcess[] {
    return this.#slots.flatMap((slot) => [...slot.all]);
  }
}

/** A bundle that cannot be loaded, and how its loading ended. */
class DescribeError extends Error {
  override readonly name = 'DescribeError';
  readonly failure: RunFailure;

  constructor(failure: RunFailure) {
    super(failure.kind === 'thrown' ? failure.error.message : `The function could not be loaded: ${failure.kind}.`);
    this.failure = failure;
  }
}

function failed(failure: RunFailure): RunOutcome {
  return { ok: false, failure, cpuMs: 0, memoryBytes: 0 };
}
