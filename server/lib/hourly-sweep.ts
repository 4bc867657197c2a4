import type { Clock, Timer } from './clock.ts';
import type { Logger } from './logger.ts';

const HOUR_MS = 3_600_000;

interface HourlySweepOptions {
  clock: Clock;
  logger: Logger;
  /** Asks `isStopped` between its slices. */
  work(isStopped: () => boolean): Promise<unknown>;
  /** The line of the log when the work fails; it is tried again an hour later. */
  failure: string;
}

/** Work in the background: once at the start, then an hour after it ended. */
export class HourlySweep {
  readonly #options: HourlySweepOptions;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: HourlySweepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#running = this.#runAndReport().then(() => {
      if (!this.#isStopped) this.#timer = this.#options.clock.after(HOUR_MS, () => this.start());
    });
  }

  /** Waits for the slice in work; the rest is left to the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  async #runAndReport(): Promise<void> {
    try {
      await this.#options.work(() => this.#isStopped);
    } catch (error) {
      this.#options.logger.error({ err: error }, this.#options.failure);
    }
  }
}
