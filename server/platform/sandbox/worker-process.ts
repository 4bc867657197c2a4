import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import type { HostMethod, HostMethods, RunFailure, WireError } from '../../../functions/runtime/bridge.ts';
import { messageSize } from '../../../functions/runtime/message-size.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { UNEXPECTED_ERROR } from '../lib/homeport-error.ts';
import type { Logger } from '../lib/logger.ts';
import { TOO_MANY_CALLS } from './call-window.ts';
import { describeInvalidMessage, InvalidMessageError } from './guest-messages.ts';
import { HostCallError, toWireError } from './host-call-error.ts';
import type { Reaper } from './reaper.ts';
import type { Bundle, SandboxTask } from './sandbox-task.ts';
import { withoutMap } from './source-lines.ts';
import { workerArguments } from './worker-arguments.ts';
import { readArguments, readWorkerMessage, runOf } from './worker-messages.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './worker-protocol.ts';
import { WorkerPulse } from './worker-pulse.ts';

/** Memory of the process without its isolates; otherwise V8 chooses a size by the machine's memory. */
const HEAP_MB = 512;
/** Contexts of ended runs are collected from this size on; by default V8 begins at half of an isolate's limit. */
const FIRST_COLLECTION_MB = 16;
/** One invalid message may be a function's mistake; a worker that sends more than this is replaced. */
const MAX_INVALID_MESSAGES = 5;
/**
 * How long the other runs of such a worker may continue. After that they are lost with it, and syncs start again in
 * another one.
 */
const DRAIN_LIMIT_MS = 2 * 60_000;
/**
 * The same settings as for the server (build/scripts/launch-server.mjs); test/architecture/allocator-settings.test.ts
 * keeps them equal.
 */
const MALLOC_SETTINGS = {
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_MMAP_MAX_: '16384',
  MALLOC_TRIM_THRESHOLD_: '4194304',
};
/** A lower priority than the server and the user's programs. */
const WORKER_PRIORITY = 5;

export interface WorkerOptions {
  execPath: string;
  workerEntry: string;
  env: Record<string, string>;
  settings: WorkerSettings;
  bundlesKept: number;
  logger: Logger;
  clock: Clock;
  reaper: Reaper;
  /** A worker that reports nothing for so long gets no new runs, or is ended; in milliseconds of time awake. */
  silentMs: number;
  deadMs: number;
  onReady: () => void;
  /** Called when a slot becomes free. */
  onSlotFree: () => void;
  /** Called at every message of the worker about the task: its run is alive. */
  onAlive: (task: SandboxTask) => void;
  /** Called when a run got an isolate that served an earlier run. */
  onReused: () => void;
  /** Called when the worker asks to be replaced; it finishes its running tasks. */
  onRetire: () => void;
  onExit: () => void;
}

/** One worker process, as seen by the server. Its messages are checked before they are used. */
export class WorkerProcess {
  readonly #options: WorkerOptions;
  readonly #child: ChildProcess;
  readonly #tasks = new Map<number, SandboxTask>();
  readonly #bundles: SentBundles;
  readonly #exit = Promise.withResolvers<void>();
  #state: 'starting' | 'ready' | 'retiring' | 'gone' = 'starting';
  #errorText = '';
  #lostRuns: string[] = [];
  #invalidMessages = 0;
  #drain: Timer | undefined;
  readonly #pulse: WorkerPulse;
  #isDead = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { clock, silentMs, deadMs } = options;
    this.#pulse = new WorkerPulse({
      clock,
      silentMs,
      deadMs,
      onSilent: () => this.#retire(),
      onDead: () => this.#endDead(),
    });
    this.#child = fork(options.workerEntry, {
      execPath: options.execPath,
      execArgv: [
        ...workerArguments(options.workerEntry),
        `--max-old-space-size=${HEAP_MB}`,
        `--initial-old-space-size=${FIRST_COLLECTION_MB}`,
      ],
      env: { ...MALLOC_SETTINGS, ...options.env },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // A terminal sends Ctrl-C to the whole group of the server. Running functions get the time that the server gives
      // them, so workers are a group of their own. Windows would open a console for them.
      detached: process.platform !== 'win32',
    });
    if (this.#child.pid !== undefined) options.reaper.add(this.#child.pid);
    this.#bundles = new SentBundles({ most: options.bundlesKept, send: (message) => this.#send(message) });
    this.#child.on('message', (message) => this.#receive(message));
    this.#child.once('exit', (code, signal) => this.#onExit(`exit ${signal ?? code}`));
    this.#child.on('error', (error) => this.#onExit(error.message));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorText = (this.#errorText + text).slice(-4000);
    });
    this.#lowerPriority();
    this.#send({ kind: 'init', settings: options.settings });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  get running(): number {
    return this.#tasks.size;
  }

  /** Tasks whose isolate is not disposed yet. */
  get tasks(): Iterable<SandboxTask> {
    return this.#tasks.values();
  }

  /** The last 4000 characters that the process wrote to its error output. */
  get errorText(): string {
    return this.#errorText;
  }

  /** Resolves when the process has ended. */
  get exited(): Promise<void> {
    return this.#exit.promise;
  }

  /** Runs that ended with the process. */
  get lostRuns(): string[] {
    return this.#lostRuns;
  }

  run(task: SandboxTask): void {
    this.#tasks.set(task.id, task);
    const bundle = this.#bundles.ensure(task.bundle);
    this.#send({
      kind: 'run',
      run: task.id,
      bundle,
      limits: task.limits,
      measuresMemory: task.measuresMemory,
      task: {
        fileName: task.bundle.fileName,
        ...(task.context ? { context: task.context } : {}),
        ...(task.input === undefined ? {} : { input: task.input }),
      },
    });
  }

  /** Ends the task now; its slot is free when the worker has disposed the isolate. */
  abort(task: SandboxTask): void {
    task.end({ ok: false, failure: { kind: 'aborted' }, cpuMs: 0, memoryBytes: 0 });
    if (this.#tasks.has(task.id)) this.#send({ kind: 'abort', run: task.id });
  }

  /** Ends the process. It gets no more tasks from now on, although its exit is reported later. */
  kill(): void {
    if (this.#state !== 'gone') this.#state = 'retiring';
    this.#child.kill('SIGKILL');
  }

  /** Functions that use much processor time must not slow down the server. */
  #lowerPriority(): void {
    if (this.#child.pid === undefined) return;
    try {
      setPriority(this.#child.pid, WORKER_PRIORITY);
    } catch (error) {
      this.#options.logger.debug({ err: (error as Error).message }, 'priority of a function worker not lowered');
    }
  }

  /** Never throws: an error while handling a message of a run ends that run. */
  #receive(raw: unknown): void {
    this.#pulse.beat();
    try {
      this.#handle(readWorkerMessage(raw));
    } catch (error) {
      this.#onFailed(raw, error);
    }
  }

  #handle(message: FromWorker): void {
    if (message.kind === 'ready') return this.#onReady();
    if (message.kind === 'retire') return this.#retire();
    if (message.kind === 'heartbeat') return;
    const task = this.#tasks.get(message.run);
    if (!task) return;
    this.#options.onAlive(task);
    switch (message.kind) {
      case 'call':
        return this.#call(task, message);
      case 'logs':
        if (!task.hasEnded) task.host.log(message.entries);
        return;
      case 'receipt':
        task.releases.get(message.call)?.();
        task.releases.delete(message.call);
        return;
      case 'alive':
        return;
      case 'done':
        if (message.isReused) this.#options.onReused();
        task.end(message.outcome);
        this.#remove(task);
    }
  }

  #onReady(): void {
    if (this.#state !== 'starting') return;
    this.#state = 'ready';
    this.#pulse.start();
    this.#options.onReady();
  }

  #call(task: SandboxTask, { call, method, args: raw }: Extract<FromWorker, { kind: 'call' }>): void {
    if (task.hasEnded) return;
    const args = readArguments(method, raw);
    this.#respond(task, call, method, args).catch((error: unknown) => this.#onFailed({ run: task.id }, error));
  }

  async #respond<M extends HostMethod>(task: SandboxTask, call: number, method: M, args: HostMethods[M]['args']) {
    try {
      if (!task.window.add(call, messageSize(args, task.limits.messageBytes))) throw new HostCallError(TOO_MANY_CALLS);
      const value = await task.host.call(method, args, task.calls.signal);
      this.#sendResult(task, call, { ok: true, value });
    } catch (error) {
      this.#sendResult(task, call, { ok: false, value: toWireError(error) });
    }
  }

  #sendResult(task: SandboxTask, call: number, result: { ok: true; value: unknown } | { ok: false; value: WireError }) {
    task.window.remove(call);
    if (task.hasEnded) return;
    const release = task.host.releaseOf?.(result.value);
    if (release) task.releases.set(call, release);
    this.#send({ kind: 'result', run: task.id, call, ...result, wantsReceipt: release !== undefined });
  }

  /** Handles an invalid message, or an error while a valid one was handled. */
  #onFailed(raw: unknown, error: unknown): void {
    const isInvalidMessage = error instanceof InvalidMessageError;
    const task = this.#tasks.get(runOf(raw) ?? -1);
    const { logger } = this.#options;
    if (!isInvalidMessage)
      logger.error({ err: error, run: task?.label }, 'a message of a function worker was not handled');
    else
      logger.warn({ pid: this.pid, run: task?.label, err: error.message }, 'a message of a function worker is invalid');
    if (task) {
      const hubError = { name: 'Error', message: UNEXPECTED_ERROR, code: 'server_error' };
      const failure: RunFailure = {
        kind: 'thrown',
        error: isInvalidMessage ? describeInvalidMessage(error) : hubError,
      };
      task.end({ ok: false, failure, cpuMs: 0, memoryBytes: 0 });
      // After `done` the worker has released the isolate; in every other case `abort` makes it do that.
      if ((raw as { kind?: unknown }).kind === 'done') this.#remove(task);
      else this.#send({ kind: 'abort', run: task.id });
    }
    if (isInvalidMessage && ++this.#invalidMessages >= MAX_INVALID_MESSAGES) this.#replace();
  }

  #remove(task: SandboxTask): void {
    this.#tasks.delete(task.id);
    // A task without a context describes its bundle, which happens once. Bundles that run stay in the worker.
    if (!task.context) this.#bundles.drop(task.bundle);
    this.#afterTask();
  }

  /** Lets another worker replace this one, which may finish its running tasks within a limit. */
  #replace(): void {
    this.#drain ??= this.#options.clock.after(DRAIN_LIMIT_MS, () => this.kill());
    this.#retire();
  }

  #retire(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'retiring';
    this.#options.onRetire();
    this.#afterTask();
  }

  /** Its process does not react, so only this ends its runs. */
  #endDead(): void {
    this.#isDead = true;
    this.kill();
  }

  #afterTask(): void {
    if (this.#state === 'retiring' && this.#tasks.size === 0) this.kill();
    else this.#options.onSlotFree();
  }

  #send(message: ToWorker): void {
    if (!this.#child.connected) return;
    this.#child.send(message, (error) => {
      if (error) this.#options.logger.debug({ err: error.message, kind: message.kind }, 'worker message not delivered');
    });
  }

  #onExit(reason: string): void {
    if (this.#state === 'gone') return;
    this.#state = 'gone';
    this.#drain?.cancel();
    this.#pulse.stop();
    if (this.pid !== undefined) this.#options.reaper.remove(this.pid);
    const detail = this.#isDead ? 'The function worker stopped reporting.' : `The function worker ended (${reason}).`;
    this.#lostRuns = [...this.#tasks.values()].map((task) => task.label);
    const failure: RunFailure = { kind: 'worker_lost', detail };
    for (const task of this.#tasks.values()) task.end({ ok: false, failure, cpuMs: 0, memoryBytes: 0 });
    this.#tasks.clear();
    this.#options.onExit();
    this.#exit.resolve();
  }
}

/**
 * The bundles that a worker holds. The server alone decides which, so both sides always have the same list: a bundle is
 * sent once, and the least recently used one is dropped when there are too many.
 */
export class SentBundles {
  readonly #most: number;
  readonly #send: (message: ToWorker) => void;
  readonly #keys = new Set<string>();

  constructor(options: { most: number; send: (message: ToWorker) => void }) {
    this.#most = options.most;
    this.#send = options.send;
  }

  /** Sends the bundle unless the worker has it; returns its key. */
  ensure(bundle: Bundle): string {
    const key = keyOf(bundle);
    const isKnown = this.#keys.delete(key);
    this.#keys.add(key);
    if (isKnown) return key;
    this.#send({ kind: 'bundle', key, code: withoutMap(bundle.code), fileName: bundle.fileName });
    const [oldest] = this.#keys;
    if (this.#keys.size > this.#most && oldest !== undefined) this.#drop(oldest);
    return key;
  }

  /** Drops the bundle from the worker. */
  drop(bundle: Bundle): void {
    this.#drop(keyOf(bundle));
  }

  #drop(key: string): void {
    if (this.#keys.delete(key)) this.#send({ kind: 'drop', key });
  }
}

function keyOf({ hash, fileName }: Bundle): string {
  return `${hash} ${fileName}`;
}
