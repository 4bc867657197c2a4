import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import type { DashboardLogin, StartedSession } from '../../environments/dashboard-login.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { CSRF_HEADER, requireSameOrigin } from './same-origin.ts';

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
