import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';

export const WINDOW_MS = 60_000;

export interface Window {
  /** Milliseconds since the epoch. */
  endsAt: number;
  used: number;
}

/** Counts by key in fixed windows of a minute. */
export class FixedWindows {
  readonly #clock: Clock;
  readonly #windows: LRUCache<string, Window>;

  /** The least recently counted keys beyond `mostKeys` begin anew: strangers choose some of them. */
  constructor(options: { clock: Clock; mostKeys: number }) {
    this.#clock = options.clock;
    this.#windows = new LRUCache({ max: options.mostKeys });
  }

  /** Counts one call. */
  take(key: string): Window {
    const now = this.#clock.now();
    const open = this.#windows.get(key);
    const window = open && open.endsAt > now ? open : { endsAt: now + WINDOW_MS, used: 0 };
    window.used += 1;
    this.#windows.set(key, window);
    return window;
  }
}
