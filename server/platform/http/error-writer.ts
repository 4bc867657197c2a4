import type { IncomingMessage, ServerResponse } from 'node:http';
import { HomeportError } from '../lib/homeport-error.ts';
import type { Ids } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import { closeUnread, hasUnreadBody } from './body-reader.ts';

/** The only code that writes an error body (http-api.md 1.4). */
export function errorWriter({
  ids,
  logger,
}: {
  ids: Ids;
  logger: Logger;
}): (error: unknown, request: IncomingMessage, response: ServerResponse) => void {
  return (error, request, response) => {
    if (response.headersSent) {
      // The status has already been sent, so closing the connection is the only way to report the failure.
      response.destroy();
      return;
    }
    const known = error instanceof HomeportError ? error : fromExpress(error);
    if (known) {
      writeError(request, response, known);
      return;
    }
    const id = ids.uuid();
    const path = request.url?.replace(/\?.*$/s, '');
    logger.error({ err: error, errorId: id, method: request.method, path }, 'unexpected failure of a request');
    writeError(request, response, new HomeportError('generic_error_support', messageOf(error), { payload: id }));
  };
}

function messageOf(error: unknown): string {
  // Only the user can fix a full disk, and the user may never read the program's log.
  const isDiskFull = error instanceof Error && error.name === 'DiskFullError';
  return isDiskFull ? error.message : 'An unexpected error occurred in the hub. Its log has the details under this id.';
}

function writeError(request: IncomingMessage, response: ServerResponse, error: HomeportError): void {
  const body = errorBody(error);
  const docs = docsOf(error, request);
  const text = JSON.stringify(docs === undefined ? body : { ...body, error: { ...(body['error'] as object), docs } });
  response.statusCode = error.status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (error.status === 429 && error.retryAfterS !== undefined) response.setHeader('Retry-After', error.retryAfterS);
  if (error.code === 'request_timeout' || hasUnreadBody(request)) closeUnread(request, response);
  response.setHeader('Content-Length', Buffer.byteLength(text)).end(text);
}

/** A caller on this computer; the documentation is not served at the public address. */
const OWN_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** Where the documentation of this hub explains the code. */
function docsOf({ code }: HomeportError, { headers, url = '' }: IncomingMessage): string | undefined {
  const { host = '' } = headers;
  // A provider that sends a webhook, possibly through a tunnel, reads nothing of it.
  if (url.startsWith('/webhook/')) return undefined;
  return OWN_HOST.test(host) ? `http://${host}/docs/errors#${code}` : undefined;
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

/** Translates errors of Express itself: unreadable paths, and files that cannot be served. */
function fromExpress(error: unknown): HomeportError | undefined {
  if (error instanceof URIError)
    return new HomeportError('invalid_uri_params', 'The path holds a broken percent encoding.');
  const { status } = error as { status?: number };
  if (error instanceof Error && status !== undefined && status >= 400 && status < 500)
    return new HomeportError('not_found', 'There is no such file.');
  return undefined;
}
