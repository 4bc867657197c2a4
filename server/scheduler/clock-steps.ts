import type { Transaction } from '../database/database.ts';
import type { Clock } from '../lib/clock.ts';

/** `stepMs`: by how much the clock was set back; 0 at start, where that is not known. */
export type StepBackHandler = (tx: Transaction, step: { now: number; stepMs: number }) => Promise<void>;

/** `skippedMs`: by how much the clock went ahead while nothing looked at it: the computer slept, or the clock was set. */
export type SkipHandler = (tx: Transaction, skippedMs: number) => Promise<void>;

/** A clock that goes back by more than this was set. */
const MIN_STEP_MS = 1_000;
/** A clock that is looked at every second and goes ahead by more than this was set, or the computer slept. */
export const MAX_AWAKE_GAP_MS = 10_000;

/**
 * Notices that the clock was set, or that the computer slept. Times that a wrong clock wrote would be reached much too
 * late, and limits that count time awake much too early.
 */
export class ClockSteps {
  readonly #clock: Clock;
  readonly #backHandlers: StepBackHandler[] = [];
  readonly #skipHandlers: SkipHandler[] = [];
  #lookedAt: number;
  #stepMs: number | undefined = 0;
  #skippedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lookedAt = clock.now();
  }

  /** Time until now does not count. */
  begin(): void {
    this.#lookedAt = this.#clock.now();
  }

  onStepBack(handler: StepBackHandler): void {
    this.#backHandlers.push(handler);
  }

  onSkip(handler: SkipHandler): void {
    this.#skipHandlers.push(handler);
  }

  /** Call it at least once a second. True when there is something to handle. */
  look(): boolean {
    const now = this.#clock.now();
    const aheadMs = now - this.#lookedAt;
    this.#lookedAt = now;
    if (aheadMs > MAX_AWAKE_GAP_MS) this.#skippedMs += aheadMs;
    else if (aheadMs <= -MIN_STEP_MS) this.#stepMs = (this.#stepMs ?? 0) - aheadMs;
    else return false;
    return true;
  }

  /** Calls the handlers at start and once after each step. */
  async handle(tx: Transaction): Promise<void> {
    this.look();
    const stepMs = this.#stepMs;
    if (stepMs !== undefined) {
      for (const handler of this.#backHandlers) await handler(tx, { now: this.#clock.now(), stepMs });
      tx.afterCommit(() => {
        if (stepMs === this.#stepMs) this.#stepMs = undefined;
      });
    }
    const skippedMs = this.#skippedMs;
    if (skippedMs > 0) {
      for (const handler of this.#skipHandlers) await handler(tx, skippedMs);
      tx.afterCommit(() => {
        this.#skippedMs -= skippedMs;
      });
    }
  }
}
