import type ivm from 'isolated-vm';

/** Short, so that a run ends soon after its isolate ran out of memory. */
export const CHECK_EVERY_MS = 200;

/** Watches one run from outside its isolate: total time, processor time without a pause, memory. */
export class RunWatchdog {
  readonly #timer: NodeJS.Timeout;
  readonly #checkTimer: NodeJS.Timeout;
  readonly #aliveEveryMs: number;
  #isPinging = false;
  #cpuAtPing: bigint;
  #cpuAtCheck: bigint;
  #aliveAt = performance.now();

  constructor(options: {
    isolate: ivm.Isolate;
    timeoutMs: number;
    sliceMs: number;
    aliveEveryMs: number;
    /** Resolves when the isolate has handled a message. */
    ping: () => Promise<void>;
    onTimeout: () => void;
    onMemory: () => void;
    onAlive: () => void;
    /** Called at each check of a run that goes on. */
    onCheck: () => void;
  }) {
    const { isolate, sliceMs } = options;
    this.#cpuAtPing = isolate.cpuTime;
    this.#cpuAtCheck = isolate.cpuTime;
    this.#timer = setTimeout(options.onTimeout, Math.min(options.timeoutMs, 2_147_483_647));
    this.#checkTimer = setInterval(() => {
      if (isolate.isDisposed) return options.onMemory();
      if (Number(isolate.cpuTime - this.#cpuAtPing) / 1e6 > sliceMs) return options.onTimeout();
      if (!this.#isPinging && this.#isDue(isolate.cpuTime)) void this.#ping(options);
      options.onCheck();
    }, CHECK_EVERY_MS);
    this.#aliveEveryMs = options.aliveEveryMs;
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#checkTimer);
  }

  /**
   * An isolate without activity since the last check waits for its host; it is pinged only to show that it is alive.
   */
  #isDue(cpuTime: bigint): boolean {
    const hasWorked = cpuTime !== this.#cpuAtCheck;
    this.#cpuAtCheck = cpuTime;
    return hasWorked || performance.now() - this.#aliveAt >= this.#aliveEveryMs;
  }

  async #ping({ isolate, ping, onAlive }: { isolate: ivm.Isolate; ping: () => Promise<void>; onAlive: () => void }) {
    this.#isPinging = true;
    await ping();
    this.#isPinging = false;
    if (isolate.isDisposed) return;
    this.#cpuAtPing = isolate.cpuTime;
    this.#cpuAtCheck = isolate.cpuTime;
    if (performance.now() - this.#aliveAt < this.#aliveEveryMs) return;
    this.#aliveAt = performance.now();
    onAlive();
  }
}
