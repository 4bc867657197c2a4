import { type ChildProcess, fork } from 'node:child_process';
import type { RunFailure } from '../../functions/runtime/bridge.ts';
import type { Logger } from '../lib/logger.ts';
import { toWireError } from './host-call-error.ts';
import { isHostMethod } from './host-methods.ts';
import type { SandboxTask } from './sandbox-task.ts';
import { SentBundles } from './sent-bundles.ts';
import { workerArguments } from './worker-arguments.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './worker-protocol.ts';

/** Memory of the process beside its isolates; V8 would otherwise size itself by the machine. */
const HEAP_MB = 512;

export interface WorkerOptions {
  execPath: string;
  workerEntry: string;
  env: Record<string, string>;
  settings: WorkerSettings;
  bundlesKept: number;
  logger: Logger;
  onReady: () => void;
  /** A place became free. */
  onRoom: () => void;
  /** The run of the task is alive: told at everything the worker says of it. */
  onAlive: (task: SandboxTask) => void;
  /** The worker asked to be replaced; it finishes what it has. */
  onRetire: () => void;
  onExit: () => void;
}

/** One worker process as the server sees it. What it sends is checked before it is believed. */
export class WorkerProcess {
  readonly #options: WorkerOptions;
  readonly #child: ChildProcess;
  readonly #tasks = new Map<number, SandboxTask>();
  readonly #bundles: SentBundles;
  readonly #exit = Promise.withResolvers<void>();
  #state: 'starting' | 'ready' | 'retiring' | 'gone' = 'starting';
  #errorText = '';
  #lostRuns: string[] = [];

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#child = fork(options.workerEntry, {
      execPath: options.execPath,
      execArgv: [...workerArguments(options.workerEntry), `--max-old-space-size=${HEAP_MB}`],
      env: options.env,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#bundles = new SentBundles({ most: options.bundlesKept, send: (message) => this.#send(message) });
    this.#child.on('message', (message) => this.#receive(message as FromWorker));
    this.#child.once('exit', (code, signal) => this.#onExit(`exit ${signal ?? code}`));
    this.#child.once('error', (error) => this.#onExit(error.message));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorText = (this.#errorText + text).slice(-4000);
    });
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

  /** The last lines the process wrote before it ended, to say why. */
  get errorText(): string {
    return this.#errorText;
  }

  /** Resolves when the process is gone. */
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
      task: {
        fileName: task.bundle.fileName,
        ...(task.context ? { context: task.context } : {}),
        ...(task.input === undefined ? {} : { input: task.input }),
        ...(task.parts ? { parts: task.parts } : {}),
      },
    });
  }

  /** Ends the task now; its place is free once the worker has disposed the isolate. */
  abort(task: SandboxTask): void {
    task.end({ ok: false, failure: { kind: 'aborted' }, cpuMs: 0, memoryBytes: 0 });
    if (this.#tasks.has(task.id)) this.#send({ kind: 'abort', run: task.id });
  }

  /** It takes nothing more, although its end is known a moment later only. */
  kill(): void {
    if (this.#state !== 'gone') this.#state = 'retiring';
    this.#child.kill('SIGKILL');
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'ready') {
      this.#state = 'ready';
      return this.#options.onReady();
    }
    if (message.kind === 'retire') return this.#retire();
    const task = this.#tasks.get(message.run);
    if (!task) return;
    this.#options.onAlive(task);
    switch (message.kind) {
      case 'call':
        return void this.#answer(task, message);
      case 'logs':
        if (!task.hasEnded) task.host.log(message.entries);
        return;
      case 'alive':
        return;
      case 'done':
        this.#tasks.delete(task.id);
        // Described once and never again: its place belongs to bundles that run.
        if (!task.context) this.#bundles.forget(task.bundle);
        task.end(message.outcome);
        this.#afterTask();
    }
  }

  async #answer(task: SandboxTask, message: Extract<FromWorker, { kind: 'call' }>): Promise<void> {
    const { call, method, args } = message;
    if (task.hasEnded) return;
    try {
      if (!isHostMethod(method)) throw new Error('There is no such method.');
      const value = await task.host.call(method, args as never, task.calls.signal);
      if (!task.hasEnded) this.#send({ kind: 'result', run: task.id, call, ok: true, value });
    } catch (error) {
      if (!task.hasEnded) this.#send({ kind: 'result', run: task.id, call, ok: false, value: toWireError(error) });
    }
  }

  #retire(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'retiring';
    this.#options.onRetire();
    this.#afterTask();
  }

  #afterTask(): void {
    if (this.#state === 'retiring' && this.#tasks.size === 0) this.kill();
    else this.#options.onRoom();
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
    const detail = `The function worker ended (${reason}).`;
    this.#lostRuns = [...this.#tasks.values()].map((task) => task.label);
    const failure: RunFailure = { kind: 'worker_lost', detail };
    for (const task of this.#tasks.values()) task.end({ ok: false, failure, cpuMs: 0, memoryBytes: 0 });
    this.#tasks.clear();
    this.#options.onExit();
    this.#exit.resolve();
  }
}
