import type { Clock } from '../platform/lib/clock.ts';
import type { AgentSession } from './agent-session.ts';

/** Calls that run now: the end of their session ends them, too. */
export class LiveCalls {
  readonly #clock: Clock;
  readonly #bySession = new Map<string, Set<AbortController>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `work` with a signal that is aborted when the caller has gone, or the session is over. */
  async follow<T>(session: AgentSession, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const calls = this.#bySession.get(session.id) ?? new Set();
    this.#bySession.set(session.id, calls.add(over));
    const timer = this.#clock.after(session.expiresAt - this.#clock.now(), () => over.abort());
    try {
      return await work(AbortSignal.any([signal, over.signal]));
    } finally {
      timer.cancel();
      calls.delete(over);
      if (calls.size === 0) this.#bySession.delete(session.id);
    }
  }

  end(sessionId: string): void {
    for (const call of this.#bySession.get(sessionId) ?? []) call.abort();
  }
}
