import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import type { DashboardLogin, StartedSession } from '../../environments/dashboard-login.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';

/**
 * Header that only a script of our own origin can send without a preflight, which is never granted. It carries the
 * token of the session; the login request, which has no token yet, sends any value.
 */
const CSRF_HEADER = 'x-homeport-csrf';
/** Values of `Sec-Fetch-Site` for requests of our own pages and for addresses that a person typed. */
const OWN_FETCH_SITES: readonly string[] = ['same-origin', 'none'];
const ATTRIBUTES = 'HttpOnly; SameSite=Strict; Path=/';

/**
 * The name contains the port: browsers share cookies between all ports of a host, so two hubs would overwrite each
 * other's session.
 */
function cookieName({ headers }: IncomingMessage): string {
  return `homeport_session_${URL.parse(`http://${headers.host ?? ''}`)?.port || '80'}`;
}

export function setSessionCookie(response: Response, { cookie, maxAgeSeconds }: StartedSession): void {
  response.setHeader('Set-Cookie', `${cookieName(response.req)}=${cookie}; ${ATTRIBUTES}; Max-Age=${maxAgeSeconds}`);
}

export function clearSessionCookie(response: Response): void {
  response.setHeader('Set-Cookie', `${cookieName(response.req)}=; ${ATTRIBUTES}; Max-Age=0`);
}

/**
 * Admits browsers with a dashboard login, from our own pages only. The cookie alone is not enough, because browsers send
 * it to every port of this computer. The token of the page, which stays with its origin, is required too, also for reads.
 */
export function dashboardGuard(use: { dashboardLogin: DashboardLogin }): (request: Request) => Promise<void> {
  return async (request) => {
    requireSameOrigin(request);
    const cookie = readSessionCookie(request);
    const token = request.get(CSRF_HEADER);
    const id = cookie && token ? await use.dashboardLogin.findSession(cookie, token) : undefined;
    if (id === undefined) {
      throw new HomeportError(
        'missing_auth_header',
        'This browser is not signed in. Open Homeport and choose "Open in browser".',
      );
    }
    if (request.res) request.res.locals['sessionId'] = id;
  };
}

/** Id of the session that the guard accepted. */
export function sessionIdOf(response: Response): string {
  return String(response.locals['sessionId']);
}

export function readSessionCookie(request: IncomingMessage): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[cookieName(request)] || undefined;
}

/**
 * Refuses requests of foreign pages, also reads. `SameSite` cookies are not enough, because a page of another port of
 * this computer counts as the same site. Changes need `Origin` and the CSRF header.
 */
export function requireSameOrigin(request: Request): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const isForeign =
    (origin !== undefined && !isOwnOrigin(origin, host)) ||
    (typeof site === 'string' && !OWN_FETCH_SITES.includes(site));
  if (isForeign) throw new HomeportError('forbidden', 'Only the dashboard itself may call this.');
  if (request.method === 'GET' || request.method === 'HEAD') return;
  if (origin === undefined || !request.headers[CSRF_HEADER]) {
    throw new HomeportError('forbidden', 'A change needs a same-origin Origin header and "X-Homeport-Csrf".');
  }
}

function isOwnOrigin(origin: string, host: string | undefined): boolean {
  const own = URL.parse(`http://${host ?? ''}`);
  return own !== null && own.origin === origin;
}
