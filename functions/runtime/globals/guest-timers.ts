import type { Send } from '../guest-link.ts';

/** More waiting timers than any function needs; a runaway loop of `setTimeout` stops here. */
const MOST_TIMERS = 10_000;
const LONGEST_DELAY_MS = 2_147_483_647;

/** `setTimeout` over the worker's timers; whatever still waits when the run ends is dropped with it. */
export class GuestTimers {
  readonly #send: Send;
  readonly #waiting = new Map<number, () => void>();
  #nextId = 1;

  constructor(send: Send) {
    this.#send = send;
  }

  readonly setTimeout = (callback: unknown, delayMs: unknown = 0, ...args: unknown[]): number => {
    if (typeof callback !== 'function') throw new TypeError('setTimeout: the callback must be a function');
    if (this.#waiting.size >= MOST_TIMERS) throw new RangeError(`setTimeout: more than ${MOST_TIMERS} timers wait`);
    const id = this.#nextId++;
    const delay = Math.min(Math.max(Number(delayMs) || 0, 0), LONGEST_DELAY_MS);
    this.#waiting.set(id, () => callback(...args));
    this.#send('timer', id, delay);
    return id;
  };

  readonly clearTimeout = (id: unknown): void => {
    if (this.#waiting.delete(Number(id))) this.#send('clearTimer', Number(id));
  };

  fire(id: number): void {
    const callback = this.#waiting.get(id);
    this.#waiting.delete(id);
    callback?.();
  }
}
