/**
 * The limit of a wait in tests, in milliseconds. It ends a test that hangs and measures nothing: ten times the slowest
 * step on a busy machine with two cores. Twice as long on machines of CI, which are shared by more users, and where no
 * person waits.
 */
export const WAIT_LIMIT_MS = process.env['CI'] ? 100_000 : 50_000;
