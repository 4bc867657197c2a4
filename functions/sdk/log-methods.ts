import type { Untyped } from './untyped.ts';

export type FunctionLogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

/** Options of `log`; the last three levels are older names. Default `info`. */
export interface LogOptions {
  level?: Exclude<FunctionLogLevel, 'off'> | 'verbose' | 'silly' | 'http';
}

/** The function's own lines in the log of its run. */
export interface LogMethods {
  /**
   * Writes a line: `await nango.log('Saved page', {page: 3}, {level: 'debug'})`. A last argument with a `level`
   * is read as options. Lines below the current level (`warn` unless set) are dropped. Payloads are cut at 99,000
   * bytes, 10 levels deep; `Authorization` is hidden. Never fails the run. Further arguments are left out.
   */
  log(message: Untyped, options: LogOptions): Promise<void>;
  log(message: Untyped, payload?: Untyped, options?: LogOptions): Promise<void>;
  log(...parts: Untyped[]): Promise<void>;
  /** Lowest level written from now on in this run; `off` cannot be undone. */
  setLogger(logger: { level: FunctionLogLevel }): void;
}
