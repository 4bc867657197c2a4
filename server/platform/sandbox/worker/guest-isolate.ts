import ivm from 'isolated-vm';
import {
  type AnswerSync,
  BOOT_NAME,
  type Dispatch,
  type GuestMessages,
} from '../../../../functions/runtime/guest-link.ts';
import type { LoadedBundle } from './loaded-bundle.ts';

export type GuestMessage = { [K in keyof GuestMessages]: [kind: K, ...args: GuestMessages[K]] }[keyof GuestMessages];

/** A context with the guest runtime, in which no author code has run. */
export interface FreshContext {
  readonly context: ivm.Context;
  readonly dispatch: ivm.Reference<Dispatch>;
  /** Messages that arrive before this call are lost. */
  listen(onMessage: (message: GuestMessage) => void): void;
}

/** After this time an isolate is replaced, as after a number of runs, because V8 keeps parts of old contexts. */
const MAX_AGE_MS = 10 * 60_000;
/** Share of the memory limit. An isolate that holds more than this after a run is replaced. */
const MAX_HEAP_SHARE = 1 / 4;

/**
 * An isolate for the runs of one version of one function in one environment, or for descriptions of any functions, one
 * at a time. Each gets its own context: it shares the heap with earlier ones, but cannot reach their objects.
 */
export class GuestIsolate {
  readonly isolate: ivm.Isolate;
  readonly #answerSync: AnswerSync;
  readonly #maxHeap: number;
  readonly #maxRuns: number;
  readonly #madeAt = performance.now();
  #next: Promise<FreshContext>;
  #isReady = false;
  #isSpent = false;
  #isReused = false;
  #runs = 0;
  #script: { bundle: LoadedBundle; script: ivm.Script } | undefined;
  /** Called when V8 lost control of the isolate: the process must end. */
  onCatastrophe: () => void;

  constructor(options: {
    snapshot: ivm.ExternalCopy<ArrayBuffer>;
    memoryMb: number;
    maxRuns: number;
    answerSync: AnswerSync;
    onCatastrophe: () => void;
  }) {
    this.onCatastrophe = options.onCatastrophe;
    this.#maxRuns = options.maxRuns;
    this.#answerSync = options.answerSync;
    this.#maxHeap = options.memoryMb * 1024 * 1024 * MAX_HEAP_SHARE;
    this.isolate = new ivm.Isolate({
      memoryLimit: options.memoryMb,
      snapshot: options.snapshot,
      onCatastrophicError: () => this.onCatastrophe(),
    });
    this.#next = this.#makeContext();
  }

  /** Whether the context of the next run is ready. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether the isolate must be replaced because of its number of runs, its age or its size. */
  get isSpent(): boolean {
    return this.#isSpent || this.#runs >= this.#maxRuns || performance.now() - this.#madeAt > MAX_AGE_MS;
  }

  /** Whether an earlier run used the isolate. */
  get isReused(): boolean {
    return this.#isReused;
  }

  /** Resolves when the context of the next run is ready. */
  async ready(): Promise<void> {
    await this.#next;
  }

  /** The context for a run that begins; it belongs to that run only. Rejects when the isolate is disposed. */
  async takeContext(): Promise<FreshContext> {
    const taken = await this.#next;
    this.#runs++;
    this.#isReady = false;
    return taken;
  }

  async compile(bundle: LoadedBundle): Promise<ivm.Script> {
    if (this.#script?.bundle === bundle) return this.#script.script;
    const script = await bundle.compile(this.isolate);
    this.#script = { bundle, script };
    return script;
  }

  /** Releases the context of an ended run, creates the next one, and measures the memory in use. */
  async renew(used: FreshContext): Promise<void> {
    this.#isReused = true;
    used.listen(() => {});
    used.dispatch.release();
    used.context.release();
    this.#next = this.#makeContext();
    const [heap] = await Promise.all([this.isolate.getHeapStatistics(), this.#next]);
    this.#isSpent = heap.used_heap_size + heap.externally_allocated_size > this.#maxHeap;
  }

  dispose(): void {
    if (!this.isolate.isDisposed) this.isolate.dispose();
  }

  async #makeContext(): Promise<FreshContext> {
    const context = await this.isolate.createContext();
    let onMessage: ((message: GuestMessage) => void) | undefined;
    // Callbacks become plain functions inside the isolate, so that it contains no object of isolated-vm. They wait
    // until the message is handled: a function that sends without end would otherwise fill this process with waiting
    // messages.
    const send = new ivm.Callback((...message: GuestMessage) => onMessage?.(message));
    const answerSync = new ivm.Callback(this.#answerSync);
    const dispatch = await context.evalClosure(`return ${BOOT_NAME}($0, $1)`, [send, answerSync], {
      result: { reference: true },
    });
    this.#isReady = true;
    return {
      context,
      dispatch: dispatch as ivm.Reference<Dispatch>,
      listen: (to) => {
        onMessage = to;
      },
    };
  }
}
