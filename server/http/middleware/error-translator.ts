import type { ErrorRequestHandler, Response } from 'express';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';

/** The one place that writes an error body (http-api.md 1.4). */
export function errorTranslator(options: { logger: Logger; ids: Ids }): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    if (response.headersSent) {
      // The status is gone already; cutting the connection is the only honest signal left.
      response.destroy();
      return;
    }
    const known = error instanceof HomeportError ? error : fromExpress(error);
    if (known) {
      writeError(response, known);
      return;
    }
    const id = options.ids.uuid();
    options.logger.error(
      { err: error, errorId: id, method: request.method, path: request.path },
      'unexpected failure of a request',
    );
    writeError(
      response,
      new HomeportError('generic_error_support', 'Something went wrong in the hub. Its log has more under this id.', {
        payload: id,
      }),
    );
  };
}

export function writeError(response: Response, error: HomeportError): void {
  response.status(error.status).json(errorBody(error));
}

export function errorBody(error: HomeportError): Record<string, unknown> {
  const hidesMessage = error.issues !== undefined || error.silent;
  return {
    ...error.body,
    error: {
      ...(hidesMessage ? {} : { message: error.message }),
      code: error.code,
      ...(error.issues ? { errors: error.issues } : {}),
      ...(error.payload === undefined ? {} : { payload: error.payload }),
      ...error.members,
    },
  };
}

/** Failures of Express itself: unreadable bodies and paths. */
function fromExpress(error: unknown): HomeportError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, status } = error as Error & { type?: string; status?: number };
  if (type === 'entity.too.large')
    return new HomeportError('request_too_large', 'The body is larger than the limit of 75 MB.');
  if (type === 'entity.parse.failed') return new HomeportError('invalid_json', 'The body is not valid JSON.');
  if (error instanceof URIError)
    return new HomeportError('invalid_uri_params', 'The path holds a broken percent encoding.');
  if (status === 415) return new HomeportError('invalid_content_type', `The body cannot be read: ${error.message}.`);
  if (status !== undefined && status >= 400 && status < 500)
    return new HomeportError('invalid_json', `The body cannot be read: ${error.message}`);
  return undefined;
}
