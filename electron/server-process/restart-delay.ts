const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** Together about a minute. After that a person has to act. */
const MOST_ATTEMPTS = 8;

/**
 * Delay in milliseconds before the given restart (1, 2, …), doubled each time; undefined when no further restart should
 * follow.
 */
export function restartDelayMs(attempt: number): number | undefined {
  return attempt > MOST_ATTEMPTS ? undefined : Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
}
