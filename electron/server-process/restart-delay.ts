const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** About a minute of trying; then a person has to look. */
const MOST_ATTEMPTS = 8;

/** Delay before the given restart (1, 2, …), doubling each time; undefined once it is time to give up. */
export function restartDelayMs(attempt: number): number | undefined {
  return attempt > MOST_ATTEMPTS ? undefined : Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
}
