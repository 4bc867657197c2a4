import { type Clock, systemClock } from '../../server/platform/lib/clock.ts';

/** The system's clock, which a test can move ahead; timers that the test asked for start on its command. */
export class HeldTimers implements Clock {
  readonly sleep = systemClock.sleep;
  /** The waits of the held timers so far, in milliseconds. */
  readonly waits: number[] = [];
  readonly #held = new Set<() => void>();
  readonly #holds: (delayMs: number) => boolean;
  #skippedMs = 0;

  constructor(holds: (delayMs: number) => boolean) {
    this.#holds = holds;
  }

  now(): number {
    return systemClock.now() + this.#skippedMs;
  }

  after(delayMs: number, callback: () => void) {
    if (!this.#holds(delayMs)) return systemClock.after(delayMs, callback);
    this.waits.push(delayMs);
    const run = (): void => callback();
    this.#held.add(run);
    return { cancel: () => void this.#held.delete(run) };
  }

  skip(ms: number): void {
    this.#skippedMs += ms;
  }

  /** How many timers wait for `run`. */
  get held(): number {
    return this.#held.size;
  }

  /** Ends the waits of the timers that are held now. */
  run(): void {
    const due = [...this.#held];
    this.#held.clear();
    for (const callback of due) callback();
  }
}
