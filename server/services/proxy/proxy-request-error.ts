import type { RedactedRequest } from './proxy-types.ts';

/** The provider gave no answer, after all attempts. Carries what an axios-like error shows (functions.md 4.4). */
export class ProxyRequestError extends Error {
  override readonly name = 'ProxyRequestError';
  /** Network code: `ECONNRESET`, `ENOTFOUND`, `ERR_CANCELED`, … */
  readonly code: string;
  readonly request: RedactedRequest;

  constructor(code: string, message: string, request: RedactedRequest, cause: unknown) {
    super(message, { cause });
    this.code = code;
    this.request = request;
  }
}
