import type { Request, Response } from 'express';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { SignIn, StartedSession } from '../../services/environment/sign-in.ts';
import { CSRF_HEADER, requireSameOrigin } from './same-origin.ts';

const SESSION_COOKIE = 'homeport_session';
const ATTRIBUTES = 'HttpOnly; SameSite=Strict; Path=/';

export function setSessionCookie(response: Response, { cookie, maxAgeSeconds }: StartedSession): void {
  response.setHeader('Set-Cookie', `${SESSION_COOKIE}=${cookie}; ${ATTRIBUTES}; Max-Age=${maxAgeSeconds}`);
}

export function clearSessionCookie(response: Response): void {
  response.setHeader('Set-Cookie', `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`);
}

/**
 * Lets signed-in browsers pass, from our own pages only. The cookie alone is not enough: browsers send it to every port
 * of this computer. The token of the page, which stays with its origin, has to come with it, for reads too.
 */
export function dashboardGuard(use: { signIn: SignIn }): (request: Request) => Promise<void> {
  return async (request) => {
    requireSameOrigin(request);
    const cookie = readSessionCookie(request.headers.cookie);
    const token = request.get(CSRF_HEADER);
    const id = cookie && token ? await use.signIn.findSession(cookie, token) : undefined;
    if (id === undefined) {
      throw new HomeportError(
        'missing_auth_header',
        'This browser is not signed in. Open Homeport and choose "Open in browser".',
      );
    }
    if (request.res) request.res.locals['sessionId'] = id;
  };
}

/** Id of the session that the guard let pass. */
export function sessionIdOf(response: Response): string {
  return String(response.locals['sessionId']);
}

export function readSessionCookie(header: string | undefined): string | undefined {
  const prefix = `${SESSION_COOKIE}=`;
  const pair = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return pair?.slice(prefix.length) || undefined;
}
