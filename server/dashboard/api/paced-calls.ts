import type { Clock, Timer } from '../../platform/lib/clock.ts';

/** Runs calls of one key at most once per interval: the first call at once, the last call of a burst at the end. */
export class PacedCalls {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #waiting = new Map<string, { timer: Timer; last: (() => void) | undefined }>();

  constructor(options: { clock: Clock; intervalMs: number }) {
    this.#clock = options.clock;
    this.#intervalMs = options.intervalMs;
  }

  call(key: string, work: () => void): void {
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.last = work;
      return;
    }
    work();
    this.#rest(key);
  }

  stop(): void {
    for (const { timer } of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }

  #rest(key: string): void {
    const timer = this.#clock.after(this.#intervalMs, () => {
      const last = this.#waiting.get(key)?.last;
      this.#waiting.delete(key);
      if (last) this.call(key, last);
    });
    this.#waiting.set(key, { timer, last: undefined });
  }
}
