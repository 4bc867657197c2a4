import type { Clock, Timer } from '../../lib/clock.ts';
import type { Operation } from '../logs/operation.ts';

/** The log operations of sessions that are open: each ends with its session. */
export class SessionOperations {
  readonly #clock: Clock;
  readonly #open = new Map<string, { operation: Operation; timer: Timer }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(lookupHash: string, operation: Operation, lifetimeMs: number): void {
    const timer = this.#clock.after(lifetimeMs, () =>
      this.end(lookupHash, 'The session expired without a connection.'),
    );
    this.#open.set(lookupHash, { operation, timer });
  }

  end(lookupHash: string, message: string): void {
    const open = this.#open.get(lookupHash);
    if (!open) return;
    this.#open.delete(lookupHash);
    open.timer.cancel();
    open.operation.finish('cancelled', { message });
  }

  /** What is still open is marked as interrupted at the next start. */
  stop(): void {
    for (const { timer } of this.#open.values()) timer.cancel();
    this.#open.clear();
  }
}
