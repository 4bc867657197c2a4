import type { Transaction } from '../database/database.ts';
import type { Clock } from '../lib/clock.ts';

/** `stepMs`: by how much the clock was set back; 0 at start, where that is not known. */
export type StepBackHandler = (tx: Transaction, step: { now: number; stepMs: number }) => Promise<void>;

/** A clock that goes back by more than this was set. */
const MIN_STEP_MS = 1_000;

/** Notices that the clock was set back. Times that the wrong clock wrote would be reached much too late. */
export class ClockSteps {
  readonly #clock: Clock;
  readonly #handlers: StepBackHandler[] = [];
  #lookedAt: number;
  #stepMs: number | undefined = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lookedAt = clock.now();
  }

  onStepBack(handler: StepBackHandler): void {
    this.#handlers.push(handler);
  }

  /** Call it at least once a second. True when the clock was set back since the last call. */
  look(): boolean {
    const now = this.#clock.now();
    const stepMs = this.#lookedAt - now;
    this.#lookedAt = now;
    if (stepMs < MIN_STEP_MS) return false;
    this.#stepMs = (this.#stepMs ?? 0) + stepMs;
    return true;
  }

  /** Calls the handlers at start and once after each step. */
  async handle(tx: Transaction): Promise<void> {
    const stepMs = this.#stepMs;
    if (stepMs === undefined) return;
    for (const handler of this.#handlers) await handler(tx, { now: this.#clock.now(), stepMs });
    tx.afterCommit(() => {
      if (stepMs === this.#stepMs) this.#stepMs = undefined;
    });
  }
}
