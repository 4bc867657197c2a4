import type { Clock, Timer } from './clock.ts';
import type { Logger } from './logger.ts';

export interface PeriodicSweepOptions {
  clock: Clock;
  logger: Logger;
  intervalMs: number;
  /** Works in slices and ends when `isStopped` returns true; the next sweep does the rest. */
  sweep(isStopped: () => boolean): Promise<unknown>;
  /** For sweeps that remove what is old: they leave a turn out while the clock may be wrong. */
  seenTime?: { isDoubtful(): boolean };
  /** Message for the program's log when a sweep fails; the next sweep runs after the interval as usual. */
  failureMessage: string;
}

/** Periodic background work: runs at the start, and again when the interval has passed since the last run ended. */
export class PeriodicSweep {
  readonly #options: PeriodicSweepOptions;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: PeriodicSweepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#running = this.#sweepAndReport().then(() => {
      if (!this.#isStopped) this.#timer = this.#options.clock.after(this.#options.intervalMs, () => this.start());
    });
  }

  /** Waits for the running sweep, which ends after its current slice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  async #sweepAndReport(): Promise<void> {
    const { failureMessage, logger, seenTime, sweep } = this.#options;
    if (seenTime?.isDoubtful()) return;
    try {
      await sweep(() => this.#isStopped);
    } catch (error) {
      logger.error({ err: error }, failureMessage);
    }
  }
}
