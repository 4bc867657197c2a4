import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs a function outside the caller's async context, which includes the caller's database transaction: for work that
 * is not awaited and may need its own transaction. Returns what the function returns.
 */
export const detached: <Args extends unknown[], Result>(work: (...args: Args) => Result, ...args: Args) => Result =
  AsyncLocalStorage.snapshot();
