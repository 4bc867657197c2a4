import type { Transaction } from '../database/database.ts';
import type { Clock } from '../lib/clock.ts';

/** `stepMs`: by how much the clock was set back; 0 at start, where that is not known. */
export type StepBackHandler = (tx: Transaction, step: { now: number; stepMs: number }) => Promise<void>;

/** `skippedMs`: time that counts for no limit: the computer slept, the clock was set ahead, or jobs were held. */
export type SkipHandler = (tx: Transaction, skippedMs: number) => Promise<void>;

/** A clock that goes back by more than this was set. */
const MIN_STEP_MS = 1_000;
/** A clock that is looked at every second and goes ahead by more than this was set, or the computer slept. */
export const MAX_AWAKE_GAP_MS = 10_000;
/** A transaction that read the clock before a step back may store its time after the step was handled. */
const HANDLE_AGAIN_MS = 10_000;
/** A clock may be set ahead and back between two looks. */
const HANDLE_EVERY_MS = 5 * 60_000;

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
  #againAt = Number.POSITIVE_INFINITY;
  #skippedMs = 0;
  #isHeld = false;

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

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** While it is held, all time is skipped: so a computer that sleeps meanwhile skips none of it twice. */
  hold(isHeld: boolean): void {
    this.look();
    this.#isHeld = isHeld;
  }

  /** Call it at least once a second. True when there is something to handle. */
  look(): boolean {
    const now = this.#clock.now();
    const aheadMs = now - this.#lookedAt;
    this.#lookedAt = now;
    const isSkip = aheadMs > MAX_AWAKE_GAP_MS;
    const isStepBack = aheadMs <= -MIN_STEP_MS;
    if (isSkip || this.#isHeld) this.#skippedMs += Math.max(aheadMs, 0);
    if (isStepBack) this.#stepMs = (this.#stepMs ?? 0) - aheadMs;
    const isAgain = now >= this.#againAt;
    if (isAgain) {
      this.#againAt = Number.POSITIVE_INFINITY;
      this.#stepMs ??= 0;
    }
    return isSkip || isStepBack || isAgain;
  }

  /** Calls the handlers at start, after each step, soon after a step back once more, and every few minutes. */
  async handle(tx: Transaction): Promise<void> {
    this.look();
    const stepMs = this.#stepMs;
    if (stepMs !== undefined) {
      for (const handler of this.#backHandlers) await handler(tx, { now: this.#clock.now(), stepMs });
      tx.afterCommit(() => {
        this.#stepMs = this.#stepMs === stepMs ? undefined : (this.#stepMs ?? 0) - stepMs;
        this.#againAt = this.#clock.now() + (stepMs > 0 ? HANDLE_AGAIN_MS : HANDLE_EVERY_MS);
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
