import type { Untyped } from './untyped.ts';

export type FunctionLogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

/** Options of `log`. The last three levels are older names. Default `info`. */
export interface LogOptions {
  level?: Exclude<FunctionLogLevel, 'off'> | 'verbose' | 'silly' | 'http';
}

/** Lines of the function in the log of its run. */
export interface LogMethods {
  /**
   * Writes a line: `await nango.log('Saved page', {page: 3}, {level: 'debug'})`. A last argument with a `level` is read
   * as options. Lines below the current level (default `warn`) are dropped. Payloads are cut at 99,000 bytes and 10
   * levels; `Authorization` is hidden. Never fails the run. Further arguments are ignored.
   */
  log(message: Untyped, options: LogOptions): Promise<void>;
  log(message: Untyped, payload?: Untyped, options?: LogOptions): Promise<void>;
  log(...parts: Untyped[]): Promise<void>;
  /**
   * Adds what this run has cost, such as the price of a paid API, in a unit that you choose: `await
   * nango.reportCost(0.02)`. Limits of keys, programs and agent sessions count the sum (an addition of Homeport). `amount`
   * is from 0 to 1,000,000,000; other values throw. A cost is never taken back. In a dry run nothing is counted.
   */
  reportCost(amount: number): Promise<void>;
  /** Sets the lowest level that this run writes from now on. `off` cannot be undone. */
  setLogger(logger: { level: FunctionLogLevel }): void;
}
