import type { Clock, Timer } from '../../server/platform/lib/clock.ts';

interface Pending {
  dueMs: number;
  callback: () => void;
}

/** A clock that only the test moves. */
export class FakeClock implements Clock {
  #nowMs: number;
  readonly #pending = new Set<Pending>();

  constructor(start: number | string = '2026-06-01T12:00:00.000Z') {
    this.#nowMs = typeof start === 'number' ? start : Date.parse(start);
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const pending = { dueMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#pending.add(pending);
    return { cancel: () => this.#pending.delete(pending) };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = this.after(delayMs, resolve);
      signal?.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason);
      });
    });
  }

  /** Moves the time and runs the timers that become due, in order, each at its own time; lets promises settle in between. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#nowMs + byMs;
    for (let next = this.#nextDue(endMs); next; next = this.#nextDue(endMs)) {
      this.#pending.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
      await settle();
    }
    this.#nowMs = endMs;
    await settle();
  }

  /** Jumps in time, as after a computer slept: timers that became due meanwhile run late, and once. */
  async skip(byMs: number): Promise<void> {
    this.#nowMs += byMs;
    await this.advance(0);
  }

  /** Sets the time, as a person or a time server does: timers keep their remaining wait. */
  step(byMs: number): void {
    this.#nowMs += byMs;
    for (const pending of this.#pending) pending.dueMs += byMs;
  }

  /** The number of pending timers: zero shows that none was left behind. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  #nextDue(endMs: number): Pending | undefined {
    const due = [...this.#pending].filter((pending) => pending.dueMs <= endMs);
    return due.sort((a, b) => a.dueMs - b.dueMs)[0];
  }
}

/** One turn of the event loop: every resolved promise's callbacks have run when it returns. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
