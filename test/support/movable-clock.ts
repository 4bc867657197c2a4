import { type Clock, systemClock } from '../../server/platform/lib/clock.ts';

/** The system's clock, which a test can move ahead; timers run in real time. */
export class MovableClock implements Clock {
  readonly after = systemClock.after;
  readonly sleep = systemClock.sleep;
  #skippedMs = 0;

  now(): number {
    return systemClock.now() + this.#skippedMs;
  }

  skip(ms: number): void {
    this.#skippedMs += ms;
  }
}
