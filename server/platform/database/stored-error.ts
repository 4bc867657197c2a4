import type { Refusal } from '../lib/failure-cause.ts';

/** The error of an operation or a message of the log, redacted and limited. */
export interface StoredError {
  name?: string;
  message: string;
  type?: string;
  payload?: unknown;
  /** Lines in the files of the function's author. */
  stack?: string[];
  /** The provider's refusal that caused it. */
  refusal?: Refusal;
}
