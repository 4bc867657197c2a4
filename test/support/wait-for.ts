import { setTimeout as sleep } from 'node:timers/promises';
import { WAIT_LIMIT_MS } from './wait-limit.ts';

const FIRST_POLL_MS = 20;
/** Interval between calls: a tenth of the elapsed time, so that a long wait costs little and ends only slightly later. */
const POLL_SHARE = 0.1;
const MAX_POLL_MS = 100;

export interface WaitForOptions {
  /** Default `WAIT_LIMIT_MS`. */
  limitMs?: number;
  /** The error message when the limit passes; name what was awaited. */
  what?: string;
}

/**
 * Calls `probe` until it returns something truthy, and returns that. A probe that throws counts as "not yet";
 * its last error becomes the cause when the limit passes.
 */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  options: WaitForOptions = {},
): Promise<NonNullable<Exclude<T, false | '' | 0>>> {
  const { limitMs = WAIT_LIMIT_MS, what = 'the condition' } = options;
  const startedAt = performance.now();
  const deadline = startedAt + limitMs;
  let cause: unknown;
  do {
    try {
      const value = await probe();
      if (value) return value as NonNullable<Exclude<T, false | '' | 0>>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    const pauseMs = (performance.now() - startedAt) * POLL_SHARE;
    await sleep(Math.min(Math.max(pauseMs, FIRST_POLL_MS), MAX_POLL_MS));
  } while (performance.now() < deadline);
  throw new Error(`${what} did not come true within ${limitMs} ms`, { cause });
}
