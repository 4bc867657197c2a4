import type { ErrorRequestHandler } from 'express';

type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unsupported_token_type';

/** A refusal of the token endpoints (RFC 6749, 5.2). */
export class PracticeOAuthError extends Error {
  override readonly name = 'PracticeOAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Writes `{error, error_description}`. Errors of other kinds go to the tracker's own handler. */
export const practiceOAuthErrorHandler: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof PracticeOAuthError)) return next(error);
  if (error.code === 'invalid_client') response.status(401).set('www-authenticate', 'Basic realm="practice"');
  else response.status(400);
  response.set('cache-control', 'no-store').json({ error: error.code, error_description: error.message });
};
