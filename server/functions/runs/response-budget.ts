import type { Clock, Timer } from '../../platform/lib/clock.ts';
import { OutboundError } from '../../platform/lib/outbound-error.ts';

const MEBIBYTE = 1024 * 1024;
/** Limit for one run: the largest single response. Its oldest response may exceed it. */
const BYTES_PER_RUN = 100 * MEBIBYTE;
/** This much of each run is not counted against the total, so that other runs cannot block ordinary responses. */
const FREE_BYTES_PER_RUN = 4 * MEBIBYTE;
/** Limit for larger responses of all runs together. */
const BYTES_IN_ALL = 256 * MEBIBYTE;
/** Responses up to this size are not counted after they are read. */
const SMALL_BYTES = 65_536;
/** Longest wait for the responses of other runs. */
const MAX_WAIT_MS = 10 * 60_000;
/** Longest time that a response may wait, in all, for other responses of its own run, which only its function can end. */
const MAX_OWN_WAIT_MS = 20_000;

/** The memory that one response holds. */
interface Lease {
  run: RunResponses;
  bytes: number;
  /** How long its reading waited for other responses of the run. */
  ownWaitMs: number;
}

interface Waiting {
  lease: Lease;
  bytes: number;
  resolve: () => void;
  reject: (error: Error) => void;
  timer: Timer;
  /** When it began to wait for other responses of its own run. */
  ownSince: number | undefined;
}

/**
 * Limits the memory for responses that functions read. A response counts from the beginning of its reading until the
 * function has received it. When the memory is used up, reading pauses until another response was received, which also
 * slows down the provider.
 */
export class ResponseBudget {
  readonly #clock: Clock;
  readonly #onReleasedBytes: (bytes: number) => void;
  readonly #runs = new Set<RunResponses>();
  readonly #waiting = new Set<Waiting>();
  /** This response is read regardless of the total limit; otherwise all could wait for each other without end. */
  #privileged: Lease | undefined;

  /** `onReleased` receives the number of bytes that are not needed any more. */
  constructor(options: { clock: Clock; onReleased?: (bytes: number) => void }) {
    this.#clock = options.clock;
    this.#onReleasedBytes = options.onReleased ?? (() => {});
  }

  open(): RunResponses {
    const run: RunResponses = new RunResponses({
      reserve: (lease, bytes) => this.#reserve(lease, bytes),
      onReleased: (lease) => this.#onReleased(lease),
      onClosed: (bytes) => this.#onClosed(run, bytes),
    });
    this.#runs.add(run);
    return run;
  }

  /** Number of bytes held now. */
  get heldBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#runs) sum += bytes;
    return sum;
  }

  /**
   * Undefined when enough memory is free at once. Rejects with OutboundError after ten minutes without free memory, or
   * when the reading waited too long for other responses of the run.
   */
  #reserve(lease: Lease, bytes: number): Promise<void> | undefined {
    if (this.#take(lease, bytes)) return undefined;
    return new Promise((resolve, reject) => {
      const isOwn = lease.run.bytes + bytes > BYTES_PER_RUN;
      const limitMs = isOwn ? MAX_OWN_WAIT_MS - lease.ownWaitMs : MAX_WAIT_MS;
      const timer = this.#clock.after(limitMs, () => this.#refuse(waiting, waitedTooLong(isOwn)));
      const ownSince = isOwn ? this.#clock.now() : undefined;
      const waiting: Waiting = { lease, bytes, resolve, reject, timer, ownSince };
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

  #onClosed(run: RunResponses, bytes: number): void {
    this.#runs.delete(run);
    this.#onReleasedBytes(bytes);
    if (this.#privileged?.run === run) this.#privileged = undefined;
    for (const waiting of this.#waiting) {
      if (waiting.lease.run === run) this.#refuse(waiting, new Error('The run has ended.'));
    }
    this.#serveWaiting();
  }

  /** Longest waiting first. The first one that waits only because of other runs becomes the privileged one. */
  #serveWaiting(): void {
    for (const waiting of this.#waiting) {
      const { lease, bytes, resolve } = waiting;
      if (lease.run.oldest === lease) this.#privileged ??= lease;
      if (!this.#take(lease, bytes)) continue;
      this.#remove(waiting);
      resolve();
    }
  }

  #refuse(waiting: Waiting, error: Error): void {
    this.#remove(waiting);
    waiting.reject(error);
  }

  #remove(waiting: Waiting): void {
    waiting.timer.cancel();
    this.#waiting.delete(waiting);
    const { lease, ownSince } = waiting;
    if (ownSince !== undefined) lease.ownWaitMs += Math.max(0, this.#clock.now() - ownSince);
  }
}

function waitedTooLong(isOwn: boolean): OutboundError {
  const message = isOwn
    ? `A function may read ${BYTES_PER_RUN} bytes (100 MB) of responses at once; this one waited ${MAX_OWN_WAIT_MS / 1000} s for ` +
      'its others. Request fewer at the same time, or smaller ones'
    : 'Too many large responses are read at the same time. Request fewer or smaller ones, or try again later';
  return new OutboundError('ERR_TOO_MANY_LARGE_RESPONSES', message);
}

interface RunResponsesOptions {
  reserve(lease: Lease, bytes: number): Promise<void> | undefined;
  onReleased(lease: Lease): void;
  onClosed(bytes: number): void;
}

/** The responses of one run. */
export class RunResponses {
  readonly #options: RunResponsesOptions;
  /** In the order in which their reading began. */
  readonly #leases = new Set<Lease>();
  readonly #byResponse = new WeakMap<object, Lease>();

  constructor(options: RunResponsesOptions) {
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

  /** Reads one response. The memory that `read` reserves is held for the resulting object until that is released. */
  async hold<T extends object>(
    read: (reserve: (bytes: number) => Promise<void> | undefined) => Promise<T>,
  ): Promise<T> {
    const lease: Lease = { run: this, bytes: 0, ownWaitMs: 0 };
    this.#leases.add(lease);
    try {
      const response = await read((bytes) => this.#options.reserve(lease, bytes));
      if (lease.bytes > SMALL_BYTES) this.#byResponse.set(response, lease);
      else this.#release(lease);
      return response;
    } catch (error) {
      this.#release(lease);
      throw error;
    }
  }

  /** The memory of `response` is now also held for `container`, which contains it. */
  pass(response: object, container: object): void {
    const lease = this.#byResponse.get(response);
    if (lease) this.#byResponse.set(container, lease);
  }

  /** Returns a function that releases the memory of the response; undefined when it holds none. */
  releaseOf(response: unknown): (() => void) | undefined {
    const lease = typeof response === 'object' && response !== null ? this.#byResponse.get(response) : undefined;
    return lease && (() => this.#release(lease));
  }

  /** The run has ended: releases all its memory and rejects what still waits. */
  close(): void {
    const { bytes } = this;
    this.#leases.clear();
    this.#options.onClosed(bytes);
  }

  #release(lease: Lease): void {
    if (this.#leases.delete(lease)) this.#options.onReleased(lease);
  }
}
