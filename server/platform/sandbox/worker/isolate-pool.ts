import type ivm from 'isolated-vm';
import { type FreshContext, GuestIsolate } from './guest-isolate.ts';
import { answerSyncMethod } from './sync-methods.ts';

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
      answerSync: answerSyncMethod,
      onCatastrophe: this.#onOrphanCatastrophe,
    });
  }
}
