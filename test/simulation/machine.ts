import { Random } from './seams/random.ts';
import { SimulatedClock } from './seams/simulated-clock.ts';
import { hasImmediates, realImmediate } from './seams/simulated-timers.ts';

/**
 * What goes wrong at one call of a boot. `end-before` and `end-after`: the process is killed around the call; `event`:
 * something else begins at it (`onEvent`), in the middle of whatever is at work.
 */
export interface Fault {
  kind: CallKind;
  /** Counted from 1 since the fault was set. */
  at: number;
  how: Failure | 'end-before' | 'end-after' | 'event';
}

/** `busy`: another process holds the file. */
export type Failure = 'error' | 'full' | 'busy';

/** `database`: a statement; `file`: a call that changes a file; `message`: from or to a function worker. */
export type CallKind = 'database' | 'file' | 'message';

/** Calls that need space on the disk. */
const NEEDS_SPACE: Partial<Record<CallKind, RegExp>> = {
  database: /^(INSERT|COMMIT|VACUUM)/,
  file: /^(write|append|copy|mkdir)/,
};

/** The end of the process in the middle of a synchronous call. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
}

/** Everything that happened, in its order: equal for equal histories. */
export type Trace = Array<string | number>;

/** Of a database. */
interface Handle {
  readonly path: string;
  shut(): void;
}

/** One process of the hub, from its start to its end. What it asked for after its end never happens. */
export class Boot {
  isOn = true;
  readonly handles = new Set<Handle>();
  readonly calls: Record<CallKind, number> = { database: 0, file: 0, message: 0 };
  /** The disk is full: nothing that needs space succeeds. */
  isFull = false;
  /** How long each statement takes: a slow disk. */
  slowMs = 0;
  /** A change of a file has failed in this process. */
  hasFailedFiles = false;
  onEnd: () => void = () => {};
  onEvent: () => void = () => {};
  onSlow: (ms: number) => void = () => {};
  /** Called after each statement that may have written. */
  onWrite: (file: string, sql: string) => void = () => {};
  readonly #trace: Trace | undefined;
  #fault: (Fault & { start: number }) | undefined;

  constructor(trace?: Trace) {
    this.#trace = trace;
  }

  setFault(fault: Fault | undefined): void {
    this.#fault = fault && { ...fault, start: this.calls[fault.kind] };
  }

  get hasFault(): boolean {
    return this.#fault !== undefined;
  }

  end(): void {
    if (!this.isOn) return;
    this.isOn = false;
    this.onEnd();
  }

  /** Counts a call and makes its work happen, or fail, or end the process. Undefined after the end. */
  call<T>(kind: CallKind, label: string, work: () => T, failure: (how: Failure) => Error): T | undefined {
    if (!this.isOn) return undefined;
    this.calls[kind] += 1;
    this.#trace?.push(label);
    if (this.slowMs > 0 && kind === 'database') this.onSlow(this.slowMs);
    if (this.isFull && NEEDS_SPACE[kind]?.test(label)) {
      this.hasFailedFiles ||= kind === 'file';
      throw failure('full');
    }
    const fault =
      this.#fault?.kind === kind && this.calls[kind] === this.#fault.start + this.#fault.at ? this.#fault : undefined;
    if (!fault) return work();
    this.#fault = undefined;
    if (fault.how === 'event') {
      this.onEvent();
      return work();
    }
    if (fault.how !== 'end-before' && fault.how !== 'end-after') {
      this.hasFailedFiles ||= kind === 'file';
      throw failure(fault.how);
    }
    const value = fault.how === 'end-after' ? work() : undefined;
    this.end();
    return value;
  }
}

/**
 * Work outside of this thread for which the machine waits. Node does not list that of `crypto` and `zlib`, so a seam has
 * to do it at once (`seams/cheap-passphrases.ts`).
 */
const OUTSIDE = /^(FSReq|GETADDRINFO|.*REQUEST)/i;

/** Pieces of work and timers without any time going by. The longest steps need some thousand. */
const MOST_AT_A_MOMENT = 200_000;

/**
 * The computer under the hub. Everything that the hub asks of the outside waits here, in one queue for each file,
 * connection or worker; the seed decides which queue is next. When nothing waits, time goes on.
 */
export class Machine {
  readonly random: Random;
  readonly clock: SimulatedClock;
  boot: Boot;
  /** Pieces of work done so far. */
  done = 0;
  readonly #queues = new Map<unknown, Array<() => void>>();
  readonly #trace: Trace | undefined;
  #moment = 0;
  #atThisMoment = 0;

  constructor(seed: number, startAt: number, trace?: Trace) {
    this.random = new Random(seed);
    this.clock = new SimulatedClock(startAt);
    this.#trace = trace;
    this.boot = new Boot(trace);
  }

  /** A new process. */
  newBoot(): Boot {
    this.boot = new Boot(this.#trace);
    return this.boot;
  }

  /** Does the work later, after the earlier work of the same queue. */
  later(queue: unknown, work: () => void): void {
    const waiting = this.#queues.get(queue);
    if (waiting) waiting.push(work);
    else this.#queues.set(queue, [work]);
  }

  /** Lets the world go on until `isDone`; false when it is not done after `limitMs` of time awake. */
  async run(isDone: () => boolean, limitMs: number): Promise<boolean> {
    const endMs = this.clock.awakeMs + limitMs;
    for (;;) {
      await turn();
      if (isDone()) return true;
      // Statements of a slow disk take time, in which timers become due.
      if (this.boot.slowMs > 0 && this.clock.runDue()) continue;
      const hasWorked = this.#runOne();
      if (!hasWorked && isAtWork()) continue;
      if (hasWorked || this.clock.runNext(endMs)) {
        this.#assertTimePasses();
        continue;
      }
      await turn();
      return isDone();
    }
  }

  #assertTimePasses(): void {
    const { awakeMs } = this.clock;
    this.#atThisMoment = awakeMs === this.#moment ? this.#atThisMoment + 1 : 0;
    this.#moment = awakeMs;
    if (this.#atThisMoment > MOST_AT_A_MOMENT) throw new Error('the hub is busy without end');
  }

  /** Lets time go by. */
  async pass(ms: number): Promise<void> {
    const endMs = this.clock.awakeMs + ms;
    await this.run(() => this.clock.awakeMs >= endMs && this.#queues.size === 0, ms);
  }

  /** Waits for a promise of the world. Throws when it is not settled after `limitMs` of time awake. */
  async until<T>(what: string, promise: Promise<T>, limitMs = 300_000): Promise<T> {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    settled.catch(() => {});
    if (!(await this.run(() => isSettled, limitMs))) throw new NothingHappens(what, limitMs);
    return settled;
  }

  /** Nothing of the ended process goes on: what it still does reaches no outside. */
  async clear(): Promise<void> {
    this.clock.dropTimers();
    do {
      await turn();
      this.#queues.clear();
      this.clock.dropTimers();
    } while (isAtWork());
  }

  #runOne(): boolean {
    if (this.#queues.size === 0) return false;
    const index = this.#queues.size === 1 ? 0 : this.random.below(this.#queues.size);
    const [queue, waiting] = nth(this.#queues, index);
    this.done += 1;
    this.#trace?.push(index, this.#queues.size, this.clock.awakeMs);
    const work = waiting.shift() as () => void;
    // The queue goes to the end, so the order of the queues depends on the history only.
    this.#queues.delete(queue);
    if (waiting.length > 0) this.#queues.set(queue, waiting);
    work();
    return true;
  }
}

/** A promise that the hub owes is not settled after a long time. */
export class NothingHappens extends Error {
  override readonly name = 'NothingHappens';

  constructor(what: string, afterMs: number) {
    super(`${what}: no answer after ${Math.round(afterMs / 1000)} s`);
  }
}

function nth<K, V>(map: Map<K, V>, index: number): [K, V] {
  let left = index;
  for (const entry of map) if (left-- === 0) return entry;
  throw new Error('out of range');
}

/** Something goes on without the machine, here or outside of this thread. */
function isAtWork(): boolean {
  return hasImmediates() || process.getActiveResourcesInfo().some((kind) => OUTSIDE.test(kind));
}

/** Whatever is ready now happens. */
function turn(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve));
}
