import type { RequestHandler } from 'express';

const VERSIONED = /^\/v1(?=\/connections?(\/|\?|$))/i;

/**
 * A sample of the specification writes `/v1` before these paths. With the headers that name a connection the
 * request is one for a function's own endpoint instead (http-api.md 5).
 */
export const versionAlias: RequestHandler = (request, _response, next) => {
  const namesConnection =
    request.headers['provider-config-key'] !== undefined && request.headers['connection-id'] !== undefined;
  if (!namesConnection) request.url = request.url.replace(VERSIONED, '');
  next();
};
