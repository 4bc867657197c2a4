import type { Clock, Timer } from '../../../server/platform/lib/clock.ts';

interface Pending {
  /** In milliseconds that the machine was awake. */
  dueAt: number;
  callback: () => void;
}

/** Wall clock and time awake are two things: only the second one ends timers, and only the first one can be set. */
export class SimulatedClock implements Clock {
  #wallMs: number;
  #awakeMs = 0;
  #pending: Pending[] = [];

  constructor(startAt: number) {
    this.#wallMs = startAt;
  }

  now(): number {
    return this.#wallMs;
  }

  get awakeMs(): number {
    return this.#awakeMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const pending = { dueAt: this.#awakeMs + Math.max(0, delayMs), callback };
    // Sorted by time; timers of one moment in the order of their start.
    let index = this.#pending.length;
    while (index > 0 && (this.#pending[index - 1] as Pending).dueAt > pending.dueAt) index -= 1;
    this.#pending.splice(index, 0, pending);
    return {
      cancel: () => {
        const at = this.#pending.indexOf(pending);
        if (at >= 0) this.#pending.splice(at, 1);
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = this.after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Runs the next timer that is due until `limitMs` of time awake; false when there is none, and the limit is reached. */
  runNext(limitMs: number): boolean {
    const [next] = this.#pending;
    const untilMs = next && next.dueAt <= limitMs ? next.dueAt : limitMs;
    const byMs = Math.max(0, untilMs - this.#awakeMs);
    this.#awakeMs += byMs;
    this.#wallMs += byMs;
    if (!next || next.dueAt > limitMs) return false;
    this.#pending.shift();
    next.callback();
    return true;
  }

  /** Runs a timer whose time has come; false when there is none. */
  runDue(): boolean {
    const [next] = this.#pending;
    return next !== undefined && next.dueAt <= this.#awakeMs && this.runNext(this.#awakeMs);
  }

  /** Time goes by while something else is waited for. */
  spend(ms: number): void {
    this.#awakeMs += ms;
    this.#wallMs += ms;
  }

  /** The computer sleeps: no timer comes nearer. */
  sleepFor(ms: number): void {
    this.#wallMs += ms;
  }

  /** A person or a time server sets the wall clock. */
  step(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** The process is gone, and its timers with it. */
  dropTimers(): void {
    this.#pending = [];
  }
}
