import type { Clock, Timer } from '../lib/clock.ts';
import { WORKER_HEARTBEAT_MS } from './worker-protocol.ts';

/**
 * Notices that a worker process reports nothing any more. Only time awake counts: a check that comes late, as after
 * sleep, counts two intervals at most.
 */
export class WorkerPulse {
  readonly #options: ConstructorParameters<typeof WorkerPulse>[0];
  #timer: Timer | undefined;
  #checkedAt = 0;
  #silentMs = 0;

  constructor(options: {
    clock: Clock;
    silentMs: number;
    deadMs: number;
    /** Called at each check of a silent worker. */
    onSilent: () => void;
    onDead: () => void;
  }) {
    this.#options = options;
  }

  start(): void {
    this.#checkedAt = this.#options.clock.now();
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Called at every message of the worker. */
  beat(): void {
    this.#silentMs = 0;
  }

  #arm(): void {
    this.#timer = this.#options.clock.after(WORKER_HEARTBEAT_MS, () => {
      this.#arm();
      this.#check();
    });
  }

  #check(): void {
    const { clock, silentMs, deadMs, onSilent, onDead } = this.#options;
    const now = clock.now();
    this.#silentMs += Math.min(Math.max(now - this.#checkedAt, 0), 2 * WORKER_HEARTBEAT_MS);
    this.#checkedAt = now;
    if (this.#silentMs >= deadMs) onDead();
    else if (this.#silentMs >= silentMs) onSilent();
  }
}
