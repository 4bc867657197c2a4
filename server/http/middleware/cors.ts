import type { Request, RequestHandler, Response } from 'express';

const EXPOSED =
  'Authorization, Etag, Content-Type, Content-Length, X-Nango-Signature, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';
const ALLOWED =
  'Authorization, Content-Type, Accept, Origin, X-Requested-With, Nango-Activity-Log-Id, Nango-Is-Dry-Run, Nango-Is-Sync, ' +
  'Provider-Config-Key, Connection-Id, Sentry-Trace, Baggage';

/** The dashboard and its private API: same origin only (design.md 8). */
const OWN_PAGES = /^\/(app|api\/v1)(\/|$)/i;

const TELEMETRY = '/connect/telemetry';
/** The connect page under either loopback name, whatever port it is shown from. */
const OWN_ORIGIN = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * The public API is open to every origin (http-api.md 1.1, step 2): it authenticates by bearer key only, which
 * no foreign page holds. Refusals are readable too, and every OPTIONS is a preflight: none reaches a provider.
 */
export const cors: RequestHandler = (request, response, next) => {
  if (OWN_PAGES.test(request.path)) {
    next();
    return;
  }
  response.setHeader('Access-Control-Allow-Origin', '*');
  if (request.path === TELEMETRY) openToBeacons(request, response);
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
  if (request.method !== 'OPTIONS') {
    next();
    return;
  }
  response.setHeader('Access-Control-Allow-Methods', 'GET,HEAD,PUT,PATCH,POST,DELETE');
  response.setHeader('Access-Control-Allow-Headers', ALLOWED);
  response.setHeader('Access-Control-Max-Age', '600');
  response.status(204).end();
};

/** Browsers send beacons with cookies, for which they want the exact origin (auth-and-connect.md 6). */
function openToBeacons(request: Request, response: Response): void {
  const { origin } = request.headers;
  if (origin === undefined || !OWN_ORIGIN.test(origin)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.vary('Origin');
}
