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

export type ResponseBudget = ReturnType<typeof createResponseBudget>;

/**
 * Limits the memory for responses that functions read. A response counts from the beginning of its reading until the
 * function has received it. When the memory is used up, reading pauses until another response was received, which also
 * slows down the provider.
 */
export function createResponseBudget({
  clock,
  onReleased = () => {},
}: {
  clock: Clock;
  /** Receives the number of bytes that are not needed any more. */
  onReleased?: (bytes: number) => void;
}) {
  const runs = new Set<RunResponses>();
  const queue = new Set<Waiting>();
  /** This response is read regardless of the total limit; otherwise all could wait for each other without end. */
  let privileged: Lease | undefined;

  /**
   * Undefined when enough memory is free at once. Rejects with OutboundError after ten minutes without free memory, or
   * when the reading waited too long for other responses of the run.
   */
  function reserve(lease: Lease, bytes: number): Promise<void> | undefined {
    if (take(lease, bytes)) return undefined;
    return new Promise((resolve, reject) => {
      const isOwn = lease.run.bytes + bytes > BYTES_PER_RUN;
      const limitMs = isOwn ? MAX_OWN_WAIT_MS - lease.ownWaitMs : MAX_WAIT_MS;
      const timer = clock.after(limitMs, () => refuse(waiting, waitedTooLong(isOwn)));
      const ownSince = isOwn ? clock.now() : undefined;
      const waiting: Waiting = { lease, bytes, resolve, reject, timer, ownSince };
      queue.add(waiting);
      serveWaiting();
    });
  }

  function take(lease: Lease, bytes: number): boolean {
    const { run } = lease;
    if (run.bytes + bytes > BYTES_PER_RUN && run.oldest !== lease) return false;
    const isShared = lease !== privileged && run.bytes + bytes > FREE_BYTES_PER_RUN;
    if (isShared && sharedBytes() + bytes > BYTES_IN_ALL) return false;
    lease.bytes += bytes;
    return true;
  }

  function sharedBytes(): number {
    let sum = 0;
    for (const { bytes } of runs) sum += Math.max(0, bytes - FREE_BYTES_PER_RUN);
    return sum;
  }

  function onLeaseReleased(lease: Lease): void {
    if (privileged === lease) privileged = undefined;
    onReleased(lease.bytes);
    serveWaiting();
  }

  function onClosed(run: RunResponses, bytes: number): void {
    runs.delete(run);
    onReleased(bytes);
    if (privileged?.run === run) privileged = undefined;
    for (const waiting of queue) {
      if (waiting.lease.run === run) refuse(waiting, new Error('The run has ended.'));
    }
    serveWaiting();
  }

  /** Longest waiting first. The first one that waits only because of other runs becomes the privileged one. */
  function serveWaiting(): void {
    for (const waiting of queue) {
      const { lease, bytes, resolve } = waiting;
      if (lease.run.oldest === lease) privileged ??= lease;
      if (!take(lease, bytes)) continue;
      remove(waiting);
      resolve();
    }
  }

  function refuse(waiting: Waiting, error: Error): void {
    remove(waiting);
    waiting.reject(error);
  }

  function remove(waiting: Waiting): void {
    waiting.timer.cancel();
    queue.delete(waiting);
    const { lease, ownSince } = waiting;
    if (ownSince !== undefined) lease.ownWaitMs += Math.max(0, clock.now() - ownSince);
  }

  return {
    open(): RunResponses {
      const run: RunResponses = new RunResponses({
        reserve: (lease, bytes) => reserve(lease, bytes),
        onReleased: onLeaseReleased,
        onClosed: (bytes) => onClosed(run, bytes),
      });
      runs.add(run);
      return run;
    },
    /** Number of bytes held now. */
    get heldBytes(): number {
      let sum = 0;
      for (const { bytes } of runs) sum += bytes;
      return sum;
    },
  };
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
