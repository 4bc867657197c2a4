/**
 * How long a test waits for what has to come, in milliseconds. It ends a test that hangs and measures nothing: ten times
 * what the slowest step takes on a machine with two cores that somebody else is using.
 */
export const PATIENCE_MS = 50_000;
