/**
 * How long a test waits for what has to come, in milliseconds. It ends a test that hangs and measures nothing: ten times
 * what the slowest step takes on a machine with two cores that somebody else is using. Machines of CI are shared by more,
 * and nobody waits there: twice as long.
 */
export const PATIENCE_MS = process.env['CI'] ? 100_000 : 50_000;
