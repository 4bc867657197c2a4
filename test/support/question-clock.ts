import { APPROVAL_TIMEOUT_MS } from '../../server/mcp/approvals.ts';
import { type Clock, systemClock } from '../../server/platform/lib/clock.ts';

/** The system's clock, except for the timers of questions to the user: those end on the test's command. */
export class QuestionClock implements Clock {
  readonly now = systemClock.now;
  readonly sleep = systemClock.sleep;
  readonly #questions = new Set<() => void>();

  after(delayMs: number, callback: () => void) {
    if (delayMs !== APPROVAL_TIMEOUT_MS) return systemClock.after(delayMs, callback);
    this.#questions.add(callback);
    return { cancel: () => void this.#questions.delete(callback) };
  }

  expire(): void {
    for (const callback of this.#questions) callback();
  }
}
