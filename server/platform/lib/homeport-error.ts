import { ERROR_CODES, type ErrorCode } from '../../contract/error-codes.ts';
import type { Issue } from '../../contract/issue.ts';

export interface HomeportErrorOptions {
  /** Replaces the status of the catalogue where a route answers the same code with another status (http-api.md 17). */
  status?: number;
  /** Validation issues; an error with issues carries no message on the wire (http-api.md 1.4). */
  issues?: Issue[];
  /** `error.payload` of the envelope. */
  payload?: unknown;
  /** Further members of `error`, beside code, message and payload. */
  members?: Record<string, unknown>;
  /** Further members of the body, beside `error`. */
  body?: Record<string, unknown>;
  /** Leaves `message` out of the error body, where the contract has no message. */
  silent?: boolean;
  /** Seconds after which a repeat is taken: the header `Retry-After` of a 429; else not on the wire. */
  retryAfterS?: number;
  cause?: unknown;
}

/** Every expected failure of the product. Entry points translate it into an error body; other code never builds one. */
export class HomeportError extends Error {
  override readonly name = 'HomeportError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly issues: Issue[] | undefined;
  readonly payload: unknown;
  readonly members: Record<string, unknown> | undefined;
  readonly body: Record<string, unknown> | undefined;
  readonly silent: boolean;
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, message: string, options: HomeportErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? ERROR_CODES[code].status;
    this.issues = options.issues;
    this.payload = options.payload;
    this.members = options.members;
    this.body = options.body;
    this.silent = options.silent ?? false;
    this.retryAfterS = options.retryAfterS;
  }
}

/** What callers and logs of operations learn about an error that no code expects; the program's log has the error. */
export const UNEXPECTED_ERROR = 'An unexpected error occurred in the hub; its log has the details.';

/** Of what is asked for while the parts of the hub stop. */
export function hubStopping(): HomeportError {
  return new HomeportError('server_error', 'Homeport is stopping. Try again when it runs.', { status: 503 });
}

/** True when something failed only because the vault is locked; it can succeed after the vault is opened. */
export function isVaultLocked(error: unknown): error is HomeportError {
  return error instanceof HomeportError && error.code === 'vault_locked';
}

/** True when nothing can be stored because the hub's files were removed; that was said once. */
export function areFilesLost(error: unknown): boolean {
  return error instanceof HomeportError && error.code === 'data_files_lost';
}

/**
 * True when the hub itself could not do its part: nothing was refused, and the same thing can succeed later. False for
 * every answer to what a caller, a function or a provider did.
 */
export function isHubFault(error: unknown): boolean {
  if (!(error instanceof HomeportError)) return true;
  const { cause, code, status } = error;
  if (code === 'vault_locked' || code === 'data_files_lost') return true;
  // The code stands for other failures, too, with their status.
  if (code !== 'server_error' && code !== 'generic_error_support') return false;
  return cause instanceof HomeportError ? isHubFault(cause) : status >= 500;
}
