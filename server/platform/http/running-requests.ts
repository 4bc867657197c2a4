import type { Clock } from '../lib/clock.ts';

/** The requests whose handlers have not ended: a handler goes on after its connection was cut. */
export class RunningRequests {
  #count = 0;
  #onIdle: (() => void) | undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#onIdle?.();
  }

  /** Resolves when all handlers have ended, at most after `limitMs`; to whether they have. */
  async haveEnded(limitMs: number, clock: Clock): Promise<boolean> {
    if (this.#count === 0) return true;
    const limit = new AbortController();
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await Promise.race([idle, clock.sleep(limitMs, limit.signal)]);
    limit.abort();
    return this.#count === 0;
  }
}
