import type { RawDefinition, RunFailure, RunOutcome } from '../../../functions/runtime/bridge.ts';
import { rawDefinition } from '../../../functions/runtime/raw-definition.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { parseJson } from '../lib/parse-json.ts';
import { DescribeError, DescribeQueue } from './describe-queue.ts';
import { describeInvalidMessage, InvalidMessageError } from './guest-messages.ts';
import { Reaper } from './reaper.ts';
import { backgroundRuns, hasMemory, hasSlot } from './run-capacity.ts';
import { RunGuard } from './run-guard.ts';
import { type Bundle, type RunHost, type RunSpec, SandboxTask } from './sandbox-task.ts';
import { findSourcePosition, withSourceLines } from './source-lines.ts';
import { TaskQueue } from './task-queue.ts';
import type { WorkerProcess } from './worker-process.ts';
import { type TaskLimits, WORKER_DEAD_MS, WORKER_SILENT_MS } from './worker-protocol.ts';
import { WorkerSlot } from './worker-slot.ts';

export interface SandboxLimits {
  /** Runs at the same time per worker. */
  runsPerWorker: number;
  /** Isolates that each worker keeps ready for functions without an isolate of their own, about 5 MB each. */
  warmIsolates: number;
  /** Memory limit of the isolates that are kept ready; a run with another limit starts more slowly. */
  memoryMb: number;
  /** Most runs of one function in one environment per isolate; 1 means an isolate for each run. */
  runsPerIsolate: number;
  /** Limit for the sum of the memory limits of all running runs; further runs wait. */
  totalMemoryMb: number;
  /** Processor time that a function may use without a pause, in milliseconds. */
  sliceMs: number;
  /** Number of bundles that each worker keeps. */
  bundlesPerWorker: number;
  describeTimeoutMs: number;
  /** A run whose worker reports nothing for this long is ended (functions.md 7.1). */
  silenceMs: number;
  /** A worker process that reports nothing for so long gets no new runs, or is ended (design.md 7.58). */
  workerSilentMs: number;
  workerDeadMs: number;
}

const DEFAULT_LIMITS: SandboxLimits = {
  runsPerWorker: 16,
  warmIsolates: 1,
  memoryMb: 128,
  runsPerIsolate: 100,
  totalMemoryMb: 4096,
  sliceMs: 60_000,
  bundlesPerWorker: 200,
  describeTimeoutMs: 10_000,
  silenceMs: 5 * 60_000,
  workerSilentMs: WORKER_SILENT_MS,
  workerDeadMs: WORKER_DEAD_MS,
};
/** Number of heartbeats that a worker sends in the time in which one is required. */
const HEARTBEATS_PER_SILENCE = 30;

export interface SandboxOptions {
  guestCode: string;
  /** Start-up snapshot of that code, made by the same Node; without it each worker makes its own. */
  guestSnapshot?: Uint8Array | undefined;
  /** Most worker processes. They end some seconds after their last task, the last one after minutes. */
  workers: number;
  logger: Logger;
  clock: Clock;
  /** Path of `worker-main`, source or bundle. */
  workerEntry: string;
  /** Path of the Node that runs the workers. */
  execPath: string;
  /** The complete environment of the workers. Default: empty, unless the system needs a variable. */
  env?: Record<string, string>;
  limits?: Partial<SandboxLimits>;
}

interface SandboxStats {
  queued: number;
  running: number;
  workersLost: number;
  /** Number of runs that used an isolate of an earlier run. */
  reused: number;
  workers: Array<{ pid: number | undefined; running: number; isReady: boolean }>;
}

/** A worker beyond the first ends after this long without work. */
const IDLE_WORKER_MS = 5_000;
/** The last worker stays longer, so that the next call need not wait the third of a second that a start takes. */
const LAST_IDLE_WORKER_MS = 10 * 60_000;
/** One worker serves this many runs at the same time well, because its isolates run on their own threads. */
const RUNS_BEFORE_ANOTHER = 4;
const DESCRIBE_BYTES = 16 * 1024 * 1024;
const NO_HOST: RunHost = {
  call: () => Promise.reject(new Error('A bundle that is only described has no host.')),
  log: () => {},
};

/** Runs functions in isolates inside worker processes, which author code cannot leave. */
export class Sandbox {
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #slots: WorkerSlot[];
  readonly #queue = new TaskQueue();
  readonly #guard: RunGuard;
  readonly #describeQueue: DescribeQueue;
  #nextTask = 1;
  /** Number of the last task that each worker got; tasks are counted by `#uses`. */
  readonly #lastUse = new WeakMap<WorkerProcess, number>();
  #uses = 0;
  /** Value of `#uses` at the last check for idle workers. */
  #usesAtCheck = 0;
  #reused = 0;
  #idleCheck: Timer | undefined;
  #isStopped = false;

  constructor(options: SandboxOptions) {
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { guestCode, guestSnapshot, logger, clock, workerEntry, execPath, env = {} } = options;
    const { warmIsolates, memoryMb, runsPerIsolate, sliceMs, bundlesPerWorker: bundlesKept } = limits;
    const aliveEveryMs = limits.silenceMs / HEARTBEATS_PER_SILENCE;
    const settings = {
      guestCode,
      ...(guestSnapshot ? { guestSnapshot } : {}),
      warmIsolates,
      memoryMb,
      runsPerIsolate,
      sliceMs,
      aliveEveryMs,
    };
    const slotOptions = {
      execPath,
      workerEntry,
      env,
      settings,
      bundlesKept,
      logger,
      clock,
      reaper: new Reaper(logger),
      silentMs: limits.workerSilentMs,
      deadMs: limits.workerDeadMs,
      onSlotFree: () => this.#assignTasks(),
      onAlive: (task: SandboxTask) => this.#guard.heartbeat(task),
      onReused: () => this.#reused++,
    };
    this.#limits = limits;
    this.#clock = clock;
    this.#logger = logger;
    this.#guard = new RunGuard({ clock, silenceMs: limits.silenceMs });
    this.#describeQueue = new DescribeQueue({ clock, describe: (bundle) => this.#describe(bundle) });
    this.#slots = Array.from({ length: options.workers }, () => new WorkerSlot(slotOptions));
  }

  /** How many background runs can start at once, of one function and in total. */
  get backgroundRuns(): { busy: number; all: number } {
    return backgroundRuns(this.#limits);
  }

  /** Resolves when a worker is ready. Without this call the first task starts the first worker. */
  async start(): Promise<void> {
    if (this.#isStopped) return;
    const slot = this.#slots[0];
    this.#scheduleIdleCheck();
    await slot?.start();
  }

  /** Runs a function. Never rejects: every end of a run is an outcome. */
  async run(spec: RunSpec, host: RunHost): Promise<RunOutcome> {
    const task = new SandboxTask(this.#nextTask++, host, spec);
    if (spec.startWithinMs !== undefined) this.#limitWait(task, spec.startWithinMs);
    return withSourceLines(await this.#enqueue(task, spec.signal), spec.bundle);
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
      reused: this.#reused,
      running: workers.reduce((sum, worker) => sum + worker.running, 0),
      workersLost: this.#slots.reduce((sum, slot) => sum + slot.lost, 0),
    };
  }

  /** Ends every run; their callers get `aborted` or `worker_lost`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#idleCheck?.cancel();
    for (const task of this.#queue.drain()) task.end(failed({ kind: 'aborted' }));
    await Promise.all(this.#slots.map((slot) => slot.stop()));
  }

  async #describe(bundle: Bundle): Promise<RawDefinition> {
    const { describeTimeoutMs: timeoutMs, memoryMb } = this.#limits;
    const limits: TaskLimits = { timeoutMs, memoryMb, outputBytes: DESCRIBE_BYTES, messageBytes: DESCRIBE_BYTES };
    const outcome = await this.#enqueue(new SandboxTask(this.#nextTask++, NO_HOST, { bundle, limits }));
    if (!outcome.ok) throw new DescribeError(outcome.failure, findSourcePosition(outcome.failure, bundle));
    const described = rawDefinition.safeParse(parseJson(outcome.output));
    if (described.success) return described.data;
    throw new DescribeError(
      { kind: 'thrown', error: describeInvalidMessage(new InvalidMessageError('its definition is invalid')) },
      undefined,
    );
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
    if (!this.#slots.some((slot) => slot.isStarted)) this.#startAnother();
    this.#assignTasks();
    return task.outcome;
  }

  #limitWait(task: SandboxTask, startWithinMs: number): void {
    const timer = this.#clock.after(startWithinMs, () => {
      if (this.#queue.remove(task)) task.end(failed({ kind: 'not_started' }));
    });
    void task.outcome.then(() => timer.cancel());
  }

  #abort(task: SandboxTask): void {
    this.#queue.remove(task);
    task.end(failed({ kind: 'aborted' }));
    for (const worker of this.#workers()) worker.abort(task);
  }

  /** Assigns waiting tasks, in their turn, to the least busy worker with a slot for them. */
  #assignTasks(): void {
    for (let next = this.#takeNext(); next; next = this.#takeNext()) {
      const { task, worker } = next;
      worker.run(task);
      this.#guard.watch(task, worker);
      this.#lastUse.set(worker, ++this.#uses);
      if (worker.running > RUNS_BEFORE_ANOTHER) this.#startAnother();
    }
  }

  #takeNext(): { task: SandboxTask; worker: WorkerProcess } | undefined {
    if (this.#queue.size === 0) return undefined;
    const { runsPerWorker, totalMemoryMb } = this.#limits;
    const running = this.#workers().flatMap(({ tasks }) => [...tasks]);
    for (const worker of this.#readyWorkers()) {
      const task = this.#queue.take(
        (waiting) => hasSlot(waiting, worker.tasks, runsPerWorker) && hasMemory(waiting, running, totalMemoryMb),
      );
      if (task) return { task, worker };
    }
    return undefined;
  }

  /** Starts one worker at a time: a worker costs about 90 MB and a third of a second. */
  #startAnother(): void {
    if (this.#slots.some((slot) => slot.isStarted && !slot.current)) return;
    const slot = this.#slots.find((candidate) => !candidate.isStarted);
    if (!slot) return;
    slot.start().catch((error: Error) => this.#logger.error({ err: error.message }, 'function worker not started'));
    this.#scheduleIdleCheck();
  }

  #scheduleIdleCheck(): void {
    const started = this.#slots.filter((slot) => slot.isStarted).length;
    const idleMs = started > 1 ? IDLE_WORKER_MS : LAST_IDLE_WORKER_MS;
    this.#idleCheck?.cancel();
    this.#idleCheck = this.#clock.after(idleMs, () => this.#endIdleWorkers());
  }

  /** Ends the workers that had no work since the last check. When all of several had none, one stays until the next. */
  #endIdleWorkers(): void {
    const started = this.#slots.filter((slot) => slot.isStarted);
    const idle = started
      .filter(({ current }) => current?.running === 0 && this.#lastUseOf(current) <= this.#usesAtCheck)
      .sort((a, b) => this.#lastUseOf(a.current) - this.#lastUseOf(b.current));
    const isOneKept = started.length > 1 && idle.length === started.length;
    const ending = isOneKept ? idle.slice(0, -1) : idle;
    for (const slot of ending) slot.endIdle();
    this.#usesAtCheck = this.#uses;
    if (ending.length < started.length && !this.#isStopped) this.#scheduleIdleCheck();
  }

  /**
   * Least busy first; among equally busy workers the one used last, because it may have an isolate for the next task.
   */
  #readyWorkers(): WorkerProcess[] {
    const ready = this.#slots.map((slot) => slot.current).filter((worker) => worker !== undefined);
    return ready.sort((a, b) => a.running - b.running || this.#lastUseOf(b) - this.#lastUseOf(a));
  }

  #lastUseOf(worker: WorkerProcess | undefined): number {
    return (worker && this.#lastUse.get(worker)) ?? 0;
  }

  #workers(): WorkerProcess[] {
    return this.#slots.flatMap((slot) => [...slot.all]);
  }
}

function failed(failure: RunFailure): RunOutcome {
  return { ok: false, failure, cpuMs: 0, memoryBytes: 0 };
}
