import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs a function outside of what its caller is in, above all the caller's database transaction: for work that is not
 * awaited and may need a transaction of its own. Returns what the function returns.
 */
export const detached: <Args extends unknown[], Result>(work: (...args: Args) => Result, ...args: Args) => Result =
  AsyncLocalStorage.snapshot();
