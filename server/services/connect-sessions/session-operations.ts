import type { Clock, Timer } from '../../lib/clock.ts';
import type { LogError, Operation } from '../logs/operation.ts';

interface OpenOperation {
  operation: Operation;
  timer: Timer;
  /** Why the last attempt failed; another attempt may still succeed. */
  failure?: LogError;
}

/** Each takes about 2 kB until its session ends, up to half an hour later. */
const MOST_OPEN = 5000;

/** The log operations of sessions that are open: each ends with its session. */
export class SessionOperations {
  readonly #clock: Clock;
  readonly #open = new Map<string, OpenOperation>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(lookupHash: string, operation: Operation, lifetimeMs: number): void {
    const timer = this.#clock.after(lifetimeMs, () =>
      this.end(lookupHash, 'The session expired without a connection.'),
    );
    this.#open.set(lookupHash, { operation, timer });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_OPEN && oldest !== undefined)
      this.end(oldest, `More than ${MOST_OPEN} sessions are open. This one stays valid; the log no longer follows it.`);
  }

  /** A connection was made; the session may make further ones, which only add to the log. */
  succeed(lookupHash: string, message: string): void {
    this.#take(lookupHash)?.operation.finish('success', { message });
  }

  fail(lookupHash: string, failure: LogError): void {
    const open = this.#open.get(lookupHash);
    if (open) open.failure = failure;
  }

  end(lookupHash: string, message: string): void {
    const open = this.#take(lookupHash);
    if (open?.failure) open.operation.finish('failed', { error: open.failure });
    else open?.operation.finish('cancelled', { message });
  }

  #take(lookupHash: string): OpenOperation | undefined {
    const open = this.#open.get(lookupHash);
    this.#open.delete(lookupHash);
    open?.timer.cancel();
    return open;
  }

  /** What is still open is marked as interrupted at the next start. */
  stop(): void {
    for (const { timer } of this.#open.values()) timer.cancel();
    this.#open.clear();
  }
}
