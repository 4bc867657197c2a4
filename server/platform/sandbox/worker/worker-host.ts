import ivm from 'isolated-vm';
import { messageSize } from '../../../../functions/runtime/message-size.ts';
import type { Clock } from '../../lib/clock.ts';
import { UnusedMemory } from '../../lib/unused-memory.ts';
import type { FromWorker, ToWorker, WorkerSettings } from '../worker-protocol.ts';
import { IsolatePool } from './isolate-pool.ts';
import { IsolateRun } from './isolate-run.ts';
import { LoadedBundle } from './loaded-bundle.ts';
import { makeSnapshot } from './make-snapshot.ts';

/** After this long without a run the memory of the process is checked; by then `UnusedMemory` has collected. */
const CHECK_AFTER_IDLE_MS = 5000;
/** The threads of ended isolates need a moment. */
const CHECK_AFTER_END_MS = 1000;
/** Memory that a process may hold beyond its size when it was ready, and beyond its bundles. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

type RunMessage = Extract<ToWorker, { kind: 'run' }>;
type Post = (message: FromWorker) => Promise<void>;

/** Handles the messages of the server: holds bundles, starts runs, passes responses on. */
export class WorkerHost {
  readonly #clock: Clock;
  readonly #post: Post;
  /** Ends the process after all posted messages are sent. */
  readonly #giveUp: () => void;
  readonly #settings: WorkerSettings;
  readonly #pool: IsolatePool;
  readonly #unusedMemory = new UnusedMemory();
  readonly #bundles = new Map<string, LoadedBundle>();
  readonly #runs = new Map<number, IsolateRun>();
  /** Runs that wait for their isolate, and may be aborted meanwhile. */
  readonly #starting = new Map<number, { isAborted: boolean }>();
  #readyBytes = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: { settings: WorkerSettings; clock: Clock; post: Post; giveUp: () => void }) {
    this.#clock = options.clock;
    this.#post = options.post;
    this.#giveUp = options.giveUp;
    this.#settings = options.settings;
    const { guestCode, guestSnapshot, warmIsolates: spares, memoryMb, runsPerIsolate } = options.settings;
    this.#pool = new IsolatePool({
      snapshot: guestSnapshot ? new ivm.ExternalCopy(toArrayBuffer(guestSnapshot)) : makeSnapshot(guestCode),
      spares,
      memoryMb,
      runsPerIsolate,
      onError: options.giveUp,
      onOrphanCatastrophe: options.giveUp,
    });
  }

  async start(): Promise<void> {
    await this.#pool.fill();
    this.#readyBytes = process.memoryUsage.rss();
    await this.#post({ kind: 'ready' });
  }

  receive(message: Exclude<ToWorker, { kind: 'init' }>): void {
    switch (message.kind) {
      case 'bundle':
        this.#bundles.set(message.key, new LoadedBundle(message.code, message.fileName));
        return;
      case 'drop':
        this.#bundles.delete(message.key);
        return;
      case 'run':
        return void this.#run(message);
      case 'abort':
        return this.#abort(message.run);
      case 'result':
        return void this.#respond(message);
    }
  }

  /** Never rejects: a failure to start ends this run only. */
  async #run(message: RunMessage): Promise<void> {
    const { run } = message;
    try {
      await this.#start(message);
    } catch (error) {
      this.#starting.delete(run);
      const reason = error instanceof Error ? error.message : String(error);
      const failure = {
        kind: 'thrown',
        error: { name: 'Error', message: `The run could not start: ${reason}`, code: 'run_not_started' },
      } as const;
      const outcome = { ok: false, failure, cpuMs: 0, memoryBytes: 0 } as const;
      void this.#post({ kind: 'done', run, outcome, isReused: false });
    }
  }

  async #start({ run, bundle: key, task, limits, measuresMemory }: RunMessage): Promise<void> {
    const bundle = this.#bundles.get(key);
    if (!bundle) throw new Error(`The bundle '${key}' was not sent before its run`);
    const starting = { isAborted: false };
    this.#starting.set(run, starting);
    // Only runs with the same code, author and environment share a heap; descriptions share one with each other.
    const owner = task.context
      ? JSON.stringify([key, task.context.environmentId, limits.memoryMb, measuresMemory ? run : 0])
      : 'descriptions';
    const { guest, fresh } = await this.#pool.take(owner, limits.memoryMb);
    this.#starting.delete(run);
    const isolateRun = new IsolateRun({
      guest,
      fresh,
      bundle,
      task,
      limits,
      measuresMemory,
      sliceMs: this.#settings.sliceMs,
      aliveEveryMs: this.#settings.aliveEveryMs,
      now: () => this.#clock.now(),
      post: (message) => this.#post({ ...message, run } as FromWorker),
      onEnd: () => this.#onRunEnd(run),
      onReusable: () => void this.#pool.giveBack(owner, guest, fresh),
      onStuck: () => void this.#post({ kind: 'retire' }),
      onCatastrophe: (report) => {
        void this.#post({ kind: 'retire' });
        report();
        this.#giveUp();
      },
    });
    this.#runs.set(run, isolateRun);
    if (starting.isAborted) isolateRun.abort();
    else await isolateRun.start();
  }

  async #respond({ run, call, ok, value, wantsReceipt }: Extract<ToWorker, { kind: 'result' }>): Promise<void> {
    await this.#runs.get(run)?.respond(call, ok, value);
    if (!wantsReceipt) return;
    this.#unusedMemory.add(messageSize(value, Number.POSITIVE_INFINITY));
    await this.#post({ kind: 'receipt', run, call });
  }

  #onRunEnd(run: number): void {
    this.#runs.delete(run);
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#onIdle(), CHECK_AFTER_IDLE_MS).unref();
  }

  #onIdle(): void {
    if (this.#runs.size + this.#starting.size > 0) return;
    this.#pool.endWaiting();
    this.#idleTimer = setTimeout(() => this.#replaceWhenTooLarge(), CHECK_AFTER_END_MS).unref();
  }

  /** Asks for another process when this one holds memory that the allocator does not return to the system. */
  #replaceWhenTooLarge(): void {
    if (this.#runs.size + this.#starting.size > 0) return;
    let maxBytes = this.#readyBytes + MAX_KEPT_BYTES;
    for (const { bytes } of this.#bundles.values()) maxBytes += bytes;
    if (process.memoryUsage.rss() > maxBytes) void this.#post({ kind: 'retire' });
  }

  #abort(run: number): void {
    const starting = this.#starting.get(run);
    if (starting) starting.isAborted = true;
    else this.#runs.get(run)?.abort();
  }
}

function toArrayBuffer({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer {
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}
