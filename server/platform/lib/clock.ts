import { detached } from './detached.ts';

/** A started timer; `cancel` is idempotent. */
export interface Timer {
  cancel(): void;
}

/** The one source of time. Everything that needs "now" or a timer takes a Clock, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs `callback` once after `delayMs` milliseconds, outside the caller's database transaction. A pending timer does
   * not keep the process alive.
   */
  after(delayMs: number, callback: () => void): Timer;
  /** Resolves after `delayMs`, or rejects with the signal's reason as soon as it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** The longest wait of a Node timer; longer waits chain several. */
const MAX_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    let handle: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      handle = setTimeout(
        () => (leftMs > MAX_TIMER_MS ? arm(leftMs - MAX_TIMER_MS) : detached(callback)),
        Math.min(Math.max(leftMs, 0), MAX_TIMER_MS),
      );
      handle.unref();
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
  sleep(delayMs, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = systemClock.after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
};
