import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../lib/logger.ts';

/** A failure the tracker answers on purpose. */
export class PracticeError extends Error {
  override readonly name = 'PracticeError';
  readonly status: number;
  readonly code: string;
  /** Further members of the error in the answer. */
  readonly members: Record<string, unknown>;
  /** The `www-authenticate` header: how the caller could have been let in. */
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

/** Turns every failure into the tracker's JSON error: `{error: {code, message, …}}`. */
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

/** Express' body parsers throw errors that carry a status of their own (bad JSON, body too large). */
function asPracticeError(error: unknown): PracticeError {
  if (error instanceof PracticeError) return error;
  const status = (error as { status?: unknown }).status;
  if (typeof status === 'number' && status < 500)
    return new PracticeError(status, 'invalid_request', 'The request cannot be read.');
  return new PracticeError(500, 'internal_error', 'The tracker failed.');
}
