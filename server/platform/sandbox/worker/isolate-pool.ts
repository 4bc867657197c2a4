import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import ivm from 'isolated-vm';
import {
  BOOT_NAME,
  type Dispatch,
  type GuestMessages,
  type RespondSync,
  type SyncMethods,
  URL_PARTS,
  type UrlParts,
} from '../../../../functions/runtime/guest-link.ts';
import { messageSize } from '../../../../functions/runtime/message-size.ts';
import { MAX_SYNC_BYTES, TOO_LARGE } from '../../../../functions/runtime/sync-calls.ts';
import type { LoadedBundle } from './loaded-bundle.ts';

/** Creating an isolate keeps this thread busy for milliseconds, so a run that just began goes first. */
const REFILL_AFTER_MS = 20;
/**
 * Limits for isolates that wait for the next run of their function, with some MB each: their number and their waiting
 * time.
 */
const MAX_WAITING = 8;
const WAIT_MS = 5_000;
const CHECK_EVERY_MS = 1_000;
/** When this many isolates of one function wait for a context, a further run takes a spare isolate instead. */
const ENOUGH_OF_ONE = 2;

interface Waiting {
  /** The owner whose runs it may serve. */
  owner: string;
  guest: GuestIsolate;
  since: number;
}

/**
 * The isolates of a worker: a few spare ones in which no author code has run, and those that served a run and wait for
 * the next run of the same owner. An isolate never changes its owner.
 */
export class IsolatePool {
  readonly #snapshot: ivm.ExternalCopy<ArrayBuffer>;
  readonly #spares: number;
  readonly #memoryMb: number;
  readonly #runsPerIsolate: number;
  readonly #onError: (error: unknown) => void;
  readonly #onOrphanCatastrophe: () => void;
  readonly #spare: GuestIsolate[] = [];
  /** The isolate that has waited longest is first. */
  #waiting: Waiting[] = [];
  #isFilling = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: {
    snapshot: ivm.ExternalCopy<ArrayBuffer>;
    /** Number of isolates kept ready for functions without one, with a limit of `memoryMb` each. */
    spares: number;
    memoryMb: number;
    runsPerIsolate: number;
    onError: (error: unknown) => void;
    /** Called when V8 lost control of an isolate without a run. */
    onOrphanCatastrophe: () => void;
  }) {
    this.#snapshot = options.snapshot;
    this.#spares = options.spares;
    this.#memoryMb = options.memoryMb;
    this.#runsPerIsolate = options.runsPerIsolate;
    this.#onError = options.onError;
    this.#onOrphanCatastrophe = options.onOrphanCatastrophe;
  }

  async fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      while (this.#spare.length < this.#spares) {
        const guest = this.#make(this.#memoryMb);
        await guest.ready();
        this.#spare.push(guest);
      }
    } finally {
      this.#isFilling = false;
    }
  }

  /** An isolate that no other owner used, with the context for one run. */
  async take(owner: string, memoryMb: number): Promise<{ guest: GuestIsolate; fresh: FreshContext }> {
    for (;;) {
      const guest = this.#choose(owner, memoryMb);
      try {
        return { guest, fresh: await guest.takeContext() };
      } catch (error) {
        guest.dispose();
        // When a reused isolate ran out of memory for its next context, the new run is not the cause.
        if (!guest.isReused) throw error;
      }
    }
  }

  /** Keeps the isolate for the next run of its owner, unless it has to be replaced. */
  async giveBack(owner: string, guest: GuestIsolate, used: FreshContext): Promise<void> {
    if (guest.isSpent || guest.isolate.isDisposed) return guest.dispose();
    guest.onCatastrophe = this.#onOrphanCatastrophe;
    const waiting = { owner, guest, since: performance.now() };
    this.#waiting.push(waiting);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()?.guest.dispose();
    this.#timer ??= setInterval(() => this.#endIdle(), CHECK_EVERY_MS).unref();
    // The error of a failed renewal goes to the run that waits for the context; otherwise the isolate was disposed.
    const isUsable = await guest.renew(used).then(
      () => !guest.isSpent,
      () => false,
    );
    if (isUsable || !this.#waiting.includes(waiting)) return;
    this.#takeWaiting(waiting);
    guest.dispose();
  }

  /** Ends all waiting isolates. */
  endWaiting(): void {
    for (const { guest } of this.#waiting) guest.dispose();
    this.#waiting = [];
    this.#stopTimer();
  }

  #choose(owner: string, memoryMb: number): GuestIsolate {
    const own = this.#waiting.filter((one) => one.owner === owner);
    const ready = own.find(({ guest }) => guest.isReady) ?? (own.length >= ENOUGH_OF_ONE ? own[0] : undefined);
    if (ready) return this.#takeWaiting(ready);
    const isSpare = memoryMb === this.#memoryMb;
    const spare = isSpare ? this.#spare.shift() : undefined;
    if (!spare && own[0]) return this.#takeWaiting(own[0]);
    if (isSpare) setTimeout(() => this.fill().catch(this.#onError), REFILL_AFTER_MS);
    return spare ?? this.#make(memoryMb);
  }

  #takeWaiting(one: Waiting): GuestIsolate {
    this.#waiting = this.#waiting.filter((other) => other !== one);
    if (this.#waiting.length === 0) this.#stopTimer();
    return one.guest;
  }

  #endIdle(): void {
    const oldest = performance.now() - WAIT_MS;
    for (const { guest, since } of this.#waiting) if (since < oldest) guest.dispose();
    this.#waiting = this.#waiting.filter(({ since }) => since >= oldest);
    if (this.#waiting.length === 0) this.#stopTimer();
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #make(memoryMb: number): GuestIsolate {
    return new GuestIsolate({
      snapshot: this.#snapshot,
      memoryMb,
      maxRuns: this.#runsPerIsolate,
      respondSync: respondToSync,
      onCatastrophe: this.#onOrphanCatastrophe,
    });
  }
}

const MAX_RANDOM_BYTES = 1_048_576;
const SETTABLE = new Set<string>(URL_PARTS.filter((part) => part !== 'origin'));

const METHODS: { [K in keyof SyncMethods]: (...args: SyncMethods[K]['args']) => SyncMethods[K]['result'] } = {
  hash: (algorithm, data) => new Uint8Array(createHash(algorithm).update(data).digest()),
  hmac: (algorithm, key, data) => new Uint8Array(createHmac(algorithm, key).update(data).digest()),
  randomBytes: (size) => {
    if (!(size >= 0 && size <= MAX_RANDOM_BYTES)) throw new RangeError(`randomBytes: 0 to ${MAX_RANDOM_BYTES} bytes`);
    return new Uint8Array(randomBytes(size));
  },
  randomUUID: () => randomUUID(),
  parseUrl: (input, base) => {
    const url = URL.parse(input, base);
    return url && partsOf(url);
  },
  setUrlPart: (href, part, value) => {
    const url = new URL(href);
    if (SETTABLE.has(part)) Reflect.set(url, part, value);
    return partsOf(url);
  },
  clone: (value) => value,
};

/**
 * The pure functions that an isolate may call synchronously. They run on the worker's main thread: keep them short.
 * Never throws, because the stack of an error would show paths of this computer to author code.
 */
const respondToSync: RespondSync = (method, ...args) => {
  try {
    if (!Object.hasOwn(METHODS, method)) throw new TypeError('There is no such method');
    // The guest checks this before the data crosses; this check holds when author code changed the guest's.
    if (messageSize(args, MAX_SYNC_BYTES) > MAX_SYNC_BYTES) throw new RangeError(TOO_LARGE);
    const call = METHODS[method as keyof SyncMethods] as (...args: unknown[]) => unknown;
    return { ok: true, value: call(...args) };
  } catch (error) {
    const { name, message } = error as Error;
    return { ok: false, name, message };
  }
};

function partsOf(url: URL): UrlParts {
  return Object.fromEntries(URL_PARTS.map((part) => [part, url[part]])) as UrlParts;
}

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
  readonly #respondSync: RespondSync;
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
    respondSync: RespondSync;
    onCatastrophe: () => void;
  }) {
    this.onCatastrophe = options.onCatastrophe;
    this.#maxRuns = options.maxRuns;
    this.#respondSync = options.respondSync;
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
    const respondSync = new ivm.Callback(this.#respondSync);
    const dispatch = await context.evalClosure(`return ${BOOT_NAME}($0, $1)`, [send, respondSync], {
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
