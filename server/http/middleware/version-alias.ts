import type { Request } from 'express';

const VERSIONED = /^\/v1(?=\/connections?(\/|\?|$))/i;

/**
 * A sample of the specification writes `/v1` before these paths. With the headers that name a connection the
 * request is one for a function's own endpoint instead (http-api.md 5).
 */
export function aliasVersion(request: Request): void {
  const namesConnection =
    request.headers['provider-config-key'] !== undefined && request.headers['connection-id'] !== undefined;
  if (!namesConnection) request.url = request.url.replace(VERSIONED, '');
}
