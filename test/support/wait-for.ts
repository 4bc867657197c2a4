import { PATIENCE_MS } from './patience.ts';

const POLL_MS = 20;

export interface WaitForOptions {
  /** Default `PATIENCE_MS`. */
  limitMs?: number;
  /** Said when the limit passes; name what was awaited. */
  what?: string;
}

/**
 * Asks `probe` until it gives something truthy, and returns that. A probe that throws counts as "not yet";
 * its last error becomes the cause when the limit passes.
 */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  options: WaitForOptions = {},
): Promise<NonNullable<Exclude<T, false | '' | 0>>> {
  const { limitMs = PATIENCE_MS, what = 'the condition' } = options;
  const deadline = performance.now() + limitMs;
  let cause: unknown;
  do {
    try {
      const value = await probe();
      if (value) return value as NonNullable<Exclude<T, false | '' | 0>>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  } while (performance.now() < deadline);
  throw new Error(`${what} did not come true within ${limitMs} ms`, { cause });
}
