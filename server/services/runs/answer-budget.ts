import type { Clock, Timer } from '../../lib/clock.ts';
import { OutboundError } from '../../lib/outbound-error.ts';

const MEBIBYTE = 1024 * 1024;
/** What one run may hold at once: the largest single answer. Its oldest answer is read on beyond that. */
const BYTES_PER_RUN = 100 * MEBIBYTE;
/** So much of it needs no share of the total, so that no other run can keep ordinary answers waiting. */
const FREE_BYTES_PER_RUN = 4 * MEBIBYTE;
/** What all runs together hold of larger answers. */
const BYTES_IN_ALL = 256 * MEBIBYTE;
/** Answers up to this size are not counted any more once they are read. */
const SMALL_BYTES = 65_536;
const LONGEST_WAIT_MS = 10 * 60_000;

/** What one answer holds. */
interface Lease {
  run: RunAnswers;
  bytes: number;
}

interface Waiting {
  lease: Lease;
  bytes: number;
  resolve: () => void;
  reject: (error: Error) => void;
  timer: Timer;
}

/**
 * Memory for the answers that functions read, counted while they are read and until the function has them. An answer
 * for which there is none is not read on until another is handed over: its sender waits.
 */
export class AnswerBudget {
  readonly #clock: Clock;
  readonly #onReleasedBytes: (bytes: number) => void;
  readonly #runs = new Set<RunAnswers>();
  readonly #waiting = new Set<Waiting>();
  /** Reads on whatever the others hold: were all to wait for each other, none would ever end. */
  #privileged: Lease | undefined;

  /** `onReleased` receives how many bytes are not needed any more. */
  constructor(options: { clock: Clock; onReleased?: (bytes: number) => void }) {
    this.#clock = options.clock;
    this.#onReleasedBytes = options.onReleased ?? (() => {});
  }

  open(): RunAnswers {
    const run: RunAnswers = new RunAnswers({
      reserve: (lease, bytes) => this.#reserve(lease, bytes),
      onReleased: (lease) => this.#onReleased(lease),
      onClosed: (bytes) => this.#onClosed(run, bytes),
    });
    this.#runs.add(run);
    return run;
  }

  /** Bytes held now. */
  get heldBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#runs) sum += bytes;
    return sum;
  }

  /** Undefined when enough is free at once; rejects with OutboundError when it is not for minutes. */
  #reserve(lease: Lease, bytes: number): Promise<void> | undefined {
    if (this.#take(lease, bytes)) return undefined;
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(LONGEST_WAIT_MS, () => this.#refuse(waiting, waitedTooLong()));
      const waiting: Waiting = { lease, bytes, resolve, reject, timer };
      this.#waiting.add(waiting);
      this.#serveWaiting();
    });
  }

  #take(lease: Lease, bytes: number): boolean {
    const { run } = lease;
    if (run.bytes + bytes > BYTES_PER_RUN && run.oldest !== lease) return false;
    const isShared = lease !== this.#privileged && run.bytes + bytes > FREE_BYTES_PER_RUN;
    if (isShared && this.#sharedBytes() + bytes > BYTES_IN_ALL) return false;
    lease.bytes += bytes;
    return true;
  }

  #sharedBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#runs) sum += Math.max(0, bytes - FREE_BYTES_PER_RUN);
    return sum;
  }

  #onReleased(lease: Lease): void {
    if (this.#privileged === lease) this.#privileged = undefined;
    this.#onReleasedBytes(lease.bytes);
    this.#serveWaiting();
  }

  #onClosed(run: RunAnswers, bytes: number): void {
    this.#runs.delete(run);
    this.#onReleasedBytes(bytes);
    if (this.#privileged?.run === run) this.#privileged = undefined;
    for (const waiting of this.#waiting) {
      if (waiting.lease.run === run) this.#refuse(waiting, new Error('The run has ended.'));
    }
    this.#serveWaiting();
  }

  /** Those that have waited longest first; the first that only other runs keep waiting becomes the privileged one. */
  #serveWaiting(): void {
    for (const waiting of this.#waiting) {
      const { lease, bytes, resolve } = waiting;
      if (lease.run.oldest === lease) this.#privileged ??= lease;
      if (!this.#take(lease, bytes)) continue;
      this.#forget(waiting);
      resolve();
    }
  }

  #refuse(waiting: Waiting, error: Error): void {
    this.#forget(waiting);
    waiting.reject(error);
  }

  #forget(waiting: Waiting): void {
    waiting.timer.cancel();
    this.#waiting.delete(waiting);
  }
}

function waitedTooLong(): OutboundError {
  return new OutboundError(
    'ERR_TOO_MANY_LARGE_RESPONSES',
    'Too many large answers are read at once. Ask for fewer or smaller ones, or try again later',
  );
}

interface RunAnswersOptions {
  reserve(lease: Lease, bytes: number): Promise<void> | undefined;
  onReleased(lease: Lease): void;
  onClosed(bytes: number): void;
}

/** The answers of one run. */
export class RunAnswers {
  readonly #options: RunAnswersOptions;
  /** In the order in which they began. */
  readonly #leases = new Set<Lease>();
  readonly #byAnswer = new WeakMap<object, Lease>();

  constructor(options: RunAnswersOptions) {
    this.#options = options;
  }

  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.#leases) sum += bytes;
    return sum;
  }

  get oldest(): Lease | undefined {
    return this.#leases.values().next().value;
  }

  /** Reads one answer. What `read` reserves is held for the object that it makes, until that is released. */
  async hold<T extends object>(
    read: (reserve: (bytes: number) => Promise<void> | undefined) => Promise<T>,
  ): Promise<T> {
    const lease: Lease = { run: this, bytes: 0 };
    this.#leases.add(lease);
    try {
      const answer = await read((bytes) => this.#options.reserve(lease, bytes));
      if (lease.bytes > SMALL_BYTES) this.#byAnswer.set(answer, lease);
      else this.#release(lease);
      return answer;
    } catch (error) {
      this.#release(lease);
      throw error;
    }
  }

  /** What is held for `answer` is held for `other` from now on, which carries it. */
  pass(answer: object, other: object): void {
    const lease = this.#byAnswer.get(answer);
    if (lease) this.#byAnswer.set(other, lease);
  }

  /** Gives back what is held for the answer; undefined when nothing is. */
  releaseOf(answer: unknown): (() => void) | undefined {
    const lease = typeof answer === 'object' && answer !== null ? this.#byAnswer.get(answer) : undefined;
    return lease && (() => this.#release(lease));
  }

  /** The run has ended: nothing is held for it any more, and whatever still waits is refused. */
  close(): void {
    const { bytes } = this;
    this.#leases.clear();
    this.#options.onClosed(bytes);
  }

  #release(lease: Lease): void {
    if (this.#leases.delete(lease)) this.#options.onReleased(lease);
  }
}
