import type { z } from 'zod';
import type { RawDefinition, RunFailure, RunOutcome } from '../../functions/runtime/bridge.ts';
import { describedParts, rawDefinition } from '../../functions/runtime/raw-definition.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { parseJson } from '../lib/parse-json.ts';
import { DescribeError, DescribeQueue, joinBundles } from './describe-queue.ts';
import { describeMisfit, MisfitError } from './guest-messages.ts';
import { backgroundRuns, hasMemory, hasSlot } from './run-capacity.ts';
import { RunGuard } from './run-guard.ts';
import { type Bundle, type RunHost, type RunSpec, SandboxTask } from './sandbox-task.ts';
import { findSourcePosition, withSourceLines } from './source-lines.ts';
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
  /** The memory limits of all runs add up to this at most; further runs wait. */
  totalMemoryMb: number;
  /** Processor time that a function may use in one piece. */
  sliceMs: number;
  /** Bundles each worker remembers. */
  bundlesPerWorker: number;
  describeTimeoutMs: number;
  /** A run whose worker gives no sign of life for so long is given up (functions.md 7.1). */
  silenceMs: number;
}

const DEFAULT_LIMITS: SandboxLimits = {
  runsPerWorker: 16,
  warmIsolates: 2,
  memoryMb: 128,
  totalMemoryMb: 4096,
  sliceMs: 60_000,
  bundlesPerWorker: 200,
  describeTimeoutMs: 10_000,
  silenceMs: 5 * 60_000,
};
/** Signs of life a worker gives in the time in which one is expected. */
const SIGNS_PER_SILENCE = 30;

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
  readonly #guard: RunGuard;
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
    const aliveEveryMs = limits.silenceMs / SIGNS_PER_SILENCE;
    const settings = { guestCode, warmIsolates, memoryMb, sliceMs, aliveEveryMs };
    const slotOptions = {
      execPath,
      workerEntry,
      env,
      settings,
      bundlesKept,
      logger,
      clock,
      onRoom: () => this.#pump(),
      onAlive: (task: SandboxTask) => this.#guard.sign(task),
    };
    this.#limits = limits;
    this.#clock = clock;
    this.#logger = logger;
    this.#guard = new RunGuard({ clock, silenceMs: limits.silenceMs });
    this.#describeQueue = new DescribeQueue({
      clock,
      describeAlone: (bundle) => this.#describe(rawDefinition, bundle),
      describeTogether: (bundles) =>
        this.#describe(
          describedParts,
          joinBundles(bundles),
          bundles.map(({ fileName }) => fileName),
        ),
    });
    this.#slots = Array.from({ length: options.workers }, () => new WorkerSlot(slotOptions));
  }

  /** How many background runs may begin at once, of one function and in all. */
  get backgroundRuns(): { busy: number; all: number } {
    return backgroundRuns(this.#limits);
  }

  /** Resolves when the first worker is ready; the others start when there is work for them. */
  async start(): Promise<void> {
    await this.#slots[0]?.start();
  }

  /** Never rejects: every way to end is an outcome. */
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

  async #describe<T>(schema: z.ZodType<T>, bundle: Bundle, parts?: string[]): Promise<T> {
    const { describeTimeoutMs: timeoutMs, memoryMb } = this.#limits;
    const limits: TaskLimits = { timeoutMs, memoryMb, outputBytes: DESCRIBE_BYTES, messageBytes: DESCRIBE_BYTES };
    const spec = { bundle, limits, ...(parts ? { parts } : {}) };
    const outcome = await this.#enqueue(new SandboxTask(this.#nextTask++, NO_HOST, spec));
    if (!outcome.ok) throw new DescribeError(outcome.failure, findSourcePosition(outcome.failure, bundle));
    const described = schema.safeParse(parseJson(outcome.output));
    if (described.success) return described.data;
    throw new DescribeError(
      { kind: 'thrown', error: describeMisfit(new MisfitError('its definition is not one')) },
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
    this.#pump();
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

  /** Hands out waiting tasks in their turn, each to the least busy worker that has a slot for it. */
  #pump(): void {
    for (let next = this.#takeNext(); next; next = this.#takeNext()) {
      const { task, worker } = next;
      worker.run(task);
      this.#guard.watch(task, worker);
      this.#lastUse.set(worker, ++this.#uses);
      if (worker.running > RUNS_BEFORE_ANOTHER || this.#isQuickSuccession(task)) this.#startAnother();
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

  /** One at a time: a worker costs about 90 MB and a third of a second. */
  #startAnother(): void {
    if (this.#slots.some((slot) => slot.isStarted && !slot.current)) return;
    const slot = this.#slots.find((candidate) => !candidate.isStarted);
    slot?.start().catch((error: Error) => this.#logger.error({ err: error.message }, 'function worker not started'));
  }

  /** The least busy first; of equally busy ones the one that rested longest: it has had time to make new isolates. */
  #readyWorkers(): WorkerProcess[] {
    const ready = this.#slots.map((slot) => slot.current).filter((worker) => worker !== undefined);
    const lastUse = (worker: WorkerProcess): number => this.#lastUse.get(worker) ?? 0;
    return ready.sort((a, b) => a.running - b.running || lastUse(a) - lastUse(b));
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

function failed(failure: RunFailure): RunOutcome {
  return { ok: false, failure, cpuMs: 0, memoryBytes: 0 };
}
