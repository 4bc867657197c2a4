import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../platform/lib/logger.ts';

/** A failure that the tracker answers on purpose. */
export class PracticeError extends Error {
  override readonly name = 'PracticeError';
  readonly status: number;
  readonly code: string;
  /** Additional members of the error in the response. */
  readonly members: Record<string, unknown>;
  /** The `www-authenticate` header, which says how to authenticate. */
  readonly challenge: string | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    extras: { members?: Record<string, unknown>; challenge?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.members = extras.members ?? {};
    this.challenge = extras.challenge;
  }
}

/** Turns every error into the tracker's JSON error: `{error: {code, message, …}}`. */
export function practiceErrorHandler(logger: Logger): ErrorRequestHandler {
  return (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const known = asPracticeError(error);
    if (known.status >= 500 && !(error instanceof PracticeError))
      logger.error({ err: error }, 'The practice provider failed.');
    if (known.challenge !== undefined) response.set('www-authenticate', known.challenge);
    response.status(known.status).json({ error: { code: known.code, message: known.message, ...known.members } });
  };
}

/** Express' body parsers throw errors with their own status (invalid JSON, body too large). */
function asPracticeError(error: unknown): PracticeError {
  if (error instanceof PracticeError) return error;
  const status = (error as { status?: unknown }).status;
  if (typeof status === 'number' && status < 500)
    return new PracticeError(status, 'invalid_request', 'The request cannot be read.');
  return new PracticeError(500, 'internal_error', 'The tracker failed.');
}
