/**
 * Milliseconds that this computer was awake, for deadlines: while it sleeps, nothing can report, and no run uses up its
 * time. Steps of the clock do not count either. Somebody has to look regularly: between two looks at most `maxGapMs` count.
 */
export class AwakeTime {
  readonly #maxGapMs: number;
  readonly #now: () => number;
  #lookedAt: number;
  #awakeMs = 0;

  constructor({ now, maxGapMs }: { now: () => number; maxGapMs: number }) {
    this.#now = now;
    this.#maxGapMs = maxGapMs;
    this.#lookedAt = now();
  }

  /** Time awake so far. */
  look(): number {
    const now = this.#now();
    this.#awakeMs += Math.min(Math.max(now - this.#lookedAt, 0), this.#maxGapMs);
    this.#lookedAt = now;
    return this.#awakeMs;
  }
}
