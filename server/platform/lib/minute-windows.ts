import type { Clock } from './clock.ts';

const WINDOW_MS = 60_000;

export type MinuteWindows = ReturnType<typeof createMinuteWindows>;

/**
 * Counts what happened within the last minute, by key. A timer ends each entry, because a step of the clock must
 * neither free a slot nor keep it (design.md 7.55).
 */
export function createMinuteWindows(clock: Clock) {
  /** By key: when each began, oldest first. */
  const begun = new Map<string, number[]>();

  return {
    take(key: string): void {
      const times = begun.get(key) ?? [];
      times.push(clock.now());
      begun.set(key, times);
      clock.after(WINDOW_MS, () => {
        times.shift();
        if (times.length === 0) begun.delete(key);
      });
    },
    used: (key: string): number => begun.get(key)?.length ?? 0,
    /** Whole seconds until one ends, from 1 to 60; the time only estimates it. */
    freeInS(key: string): number {
      const [oldest = clock.now()] = begun.get(key) ?? [];
      return Math.min(60, Math.max(1, Math.ceil((oldest + WINDOW_MS - clock.now()) / 1000)));
    },
  };
}
