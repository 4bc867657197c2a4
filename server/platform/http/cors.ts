import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
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
  if (request.method !== 'OPTIONS' && !TELEMETRY.test(request.path)) {
    response.writeHead = writeOpenHead as Response['writeHead'];
    return false;
  }
  for (let at = 0; at < OPEN.length; at += 2) response.setHeader(OPEN[at] ?? '', OPEN[at + 1] ?? '');
  if (TELEMETRY.test(request.path)) openToBeacons(request, response);
  if (request.method !== 'OPTIONS') return false;
  response.setHeader('Access-Control-Allow-Methods', 'GET,HEAD,PUT,PATCH,POST,DELETE');
  response.setHeader('Access-Control-Allow-Headers', ALLOWED);
  response.setHeader('Access-Control-Max-Age', '600');
  response.statusCode = 204;
  response.end();
  return true;
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

const writeHead = ServerResponse.prototype.writeHead as (
  this: ServerResponse,
  status: number,
  message: string | undefined,
  headers: unknown[],
) => ServerResponse;
const OPEN = [...['Access-Control-Allow-Origin', '*'], ...['Access-Control-Expose-Headers', EXPOSED]];

/**
 * In the place of a response's `writeHead`, which every way of answering calls: writes the open headers with the others.
 * Setting them one by one before takes a tenth of a short request.
 */
function writeOpenHead(
  this: ServerResponse,
  status: number,
  ...rest: [string?, Headers?] | [Headers?]
): ServerResponse {
  const [first, headers = typeof first === 'string' ? [] : first] = rest;
  const list = Array.isArray(headers) ? headers : Object.entries(headers ?? {}).flat();
  return writeHead.call(this, status, typeof first === 'string' ? first : undefined, [...OPEN, ...list]);
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
