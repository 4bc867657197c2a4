import type { Send } from '../guest-link.ts';
import { MathMax, MathMin, ObjectCreate, ReflectApply, toNumber } from '../primordials.ts';

/** Far more than a function needs. The limit stops an endless loop of `setTimeout`. */
const MAX_TIMERS = 10_000;
const MAX_DELAY_MS = 2_147_483_647;

/** `setTimeout` with the worker's timers. Timers that still wait at the end of the run are dropped. */
export class GuestTimers {
  readonly #send: Send;
  readonly #waiting = ObjectCreate(null) as Record<number, () => void>;
  #count = 0;
  #nextId = 1;

  constructor(send: Send) {
    this.#send = send;
  }

  readonly setTimeout = (callback: unknown, delayMs: unknown = 0, ...args: unknown[]): number => {
    if (typeof callback !== 'function') throw new TypeError('setTimeout: the callback must be a function');
    if (this.#count >= MAX_TIMERS) throw new RangeError(`setTimeout: more than ${MAX_TIMERS} timers wait`);
    const id = this.#nextId++;
    const delay = MathMin(MathMax(toNumber(delayMs) || 0, 0), MAX_DELAY_MS);
    this.#waiting[id] = () => ReflectApply(callback as () => void, undefined, args);
    this.#count++;
    this.#send('timer', id, delay);
    return id;
  };

  readonly clearTimeout = (id: unknown): void => {
    const known = toNumber(id);
    if (this.#take(known)) this.#send('clearTimer', known);
  };

  fire(id: number): void {
    this.#take(id)?.();
  }

  #take(id: number): (() => void) | undefined {
    const callback = this.#waiting[id];
    if (!callback) return undefined;
    delete this.#waiting[id];
    this.#count--;
    return callback;
  }
}
