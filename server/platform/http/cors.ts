import type { Request, Response } from 'express';

const EXPOSED =
  'Authorization, Etag, Content-Type, Content-Length, X-Nango-Signature, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';
const ALLOWED =
  'Authorization, Content-Type, Accept, Origin, X-Requested-With, Nango-Activity-Log-Id, Nango-Is-Dry-Run, Nango-Is-Sync, ' +
  'Provider-Config-Key, Connection-Id, Sentry-Trace, Baggage';

/**
 * First path segments that pages of other origins may call: the routes of the frontend client, and routes that need a
 * bearer key, which a foreign page does not have (design.md 7.45). Not included: documents (`/health`, `/openapi.json`,
 * `/providers.json`), the dashboard and its API, pages, MCP, webhooks and unknown paths.
 */
const OPEN_SEGMENTS = new Set([
  'action',
  'api-auth',
  'auth',
  'config',
  'connect',
  'connection',
  'connections',
  'environment',
  'environment-variables',
  'environments',
  'functions',
  'integrations',
  'oauth',
  'oauth2',
  'providers',
  'proxy',
  'records',
  'scripts',
  'sessions',
  'sync',
  'v1',
]);

const TELEMETRY = /^\/connect\/telemetry\/?$/i;
/** The connect page under any loopback name and port. */
const OWN_ORIGIN = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * Lets pages of every origin call the open segments (http-api.md 1.1, step 2) and read error responses. Returns true for
 * a preflight, which is then already answered: an OPTIONS request never reaches a provider.
 */
export function openToOrigins(request: Request, response: Response): boolean {
  if (!OPEN_SEGMENTS.has(firstSegment(request.path))) return false;
  response.setHeader('Access-Control-Allow-Origin', '*');
  if (TELEMETRY.test(request.path)) openToBeacons(request, response);
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
  if (request.method !== 'OPTIONS') return false;
  response.setHeader('Access-Control-Allow-Methods', 'GET,HEAD,PUT,PATCH,POST,DELETE');
  response.setHeader('Access-Control-Allow-Headers', ALLOWED);
  response.setHeader('Access-Control-Max-Age', '600');
  response.statusCode = 204;
  response.end();
  return true;
}

/** Browsers send beacons with cookies and then require the exact origin in the response (auth-and-connect.md 6). */
function openToBeacons(request: Request, response: Response): void {
  const { origin } = request.headers;
  if (origin === undefined || !OWN_ORIGIN.test(origin)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Vary', 'Origin');
}

/** Returns the first path segment in lower case. */
export function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return path.slice(1, end === -1 ? undefined : end).toLowerCase();
}
