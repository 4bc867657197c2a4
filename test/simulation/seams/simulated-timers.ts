import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import type { SimulatedClock } from './simulated-clock.ts';

type Callback = (...args: unknown[]) => void;

/** The longest wait of a Node timer. */
const MAX_MS = 2_147_483_647;

export const realImmediate = timers.setImmediate;
const {
  clearImmediate: clearRealImmediate,
  clearTimeout: clearReal,
  setInterval: setRealInterval,
  setTimeout: setRealTimeout,
} = timers;
const realNow = Date.now;
const realAwake = performance.now.bind(performance);
/** undici's own timers, which are one list for the whole process. */
const ofUndici = createRequire(import.meta.url)('undici/lib/util/timers.js') as { reset(): void };
let clock: SimulatedClock | undefined;
const immediates = new Set<NodeJS.Immediate>();

/** Something happens in the next turn of the event loop. */
export const hasImmediates = (): boolean => immediates.size > 0;

/** From now on time is that of this clock; without one it is that of the computer. */
export function setTimersClock(used: SimulatedClock | undefined): void {
  clock = used;
}

/** The process has ended, and the timers that it began with it. */
export function forgetLibraryTimers(): void {
  ofUndici.reset();
}

/** A timer of Node, as far as anybody uses it. */
class SimulatedTimeout {
  readonly #clock: SimulatedClock;
  readonly #delayMs: number;
  readonly #run: () => void;
  #waiting: { cancel(): void } | undefined;

  constructor(used: SimulatedClock, callback: Callback, delayMs: number, args: unknown[], isRepeated: boolean) {
    this.#clock = used;
    this.#delayMs = delayMs >= 1 && delayMs <= MAX_MS ? Math.trunc(delayMs) : 1;
    // In the context of the caller: a transaction, too.
    const act = AsyncLocalStorage.bind(callback);
    this.#run = () => {
      this.#waiting = undefined;
      if (isRepeated) this.refresh();
      act(...args);
    };
    this.refresh();
  }

  refresh(): this {
    this.#waiting?.cancel();
    this.#waiting = this.#clock.after(this.#delayMs, this.#run);
    return this;
  }

  close(): this {
    this.#waiting?.cancel();
    this.#waiting = undefined;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/**
 * Replaces the timers and clocks of this process, also for libraries: how long a history takes must not decide what
 * happens in it. What Node itself starts inside (`_http_server` looks for slow requests) is not reached this way.
 */
export function simulateTimers(): void {
  const begin =
    (real: typeof setRealTimeout | typeof setRealInterval, isRepeated: boolean) =>
    (callback: Callback, delayMs = 1, ...args: unknown[]) =>
      clock
        ? new SimulatedTimeout(clock, callback, delayMs, args, isRepeated)
        : real(callback, delayMs, ...(args as []));
  const end = (timer: unknown): void => {
    if (timer instanceof SimulatedTimeout) timer.close();
    else clearReal(timer as NodeJS.Timeout);
  };
  const simulated = {
    setTimeout: begin(setRealTimeout, false),
    setInterval: begin(setRealInterval, true),
    clearTimeout: end,
    clearInterval: end,
    setImmediate: (callback: Callback, ...args: unknown[]): NodeJS.Immediate => {
      const made = realImmediate(() => {
        immediates.delete(made);
        callback(...args);
      });
      immediates.add(made);
      return made;
    },
    clearImmediate: (immediate: NodeJS.Immediate): void => {
      immediates.delete(immediate);
      clearRealImmediate(immediate);
    },
  };
  Object.assign(globalThis, simulated);
  Object.assign(timers, simulated);
  Object.assign(promises, { setImmediate: (value: unknown) => new Promise((r) => setImmediate(r, value)) });
  syncBuiltinESMExports();
  Date.now = () => (clock ? clock.now() : realNow());
  performance.now = () => (clock ? clock.awakeMs : realAwake());
  AbortSignal.timeout = (delayMs) => {
    const ended = new AbortController();
    setTimeout(
      () => ended.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      delayMs,
    );
    return ended.signal;
  };
}
