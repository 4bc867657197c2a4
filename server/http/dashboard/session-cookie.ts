import type { Request, Response } from 'express';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { SignIn } from '../../services/environment/sign-in.ts';
import { requireSameOrigin } from './same-origin.ts';

const SESSION_COOKIE = 'homeport_session';

export function setSessionCookie(response: Response, session: { cookie: string; maxAgeSeconds: number }): void {
  response.setHeader(
    'Set-Cookie',
    `${SESSION_COOKIE}=${session.cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${session.maxAgeSeconds}`,
  );
}

/** Lets signed-in browsers pass, from our own pages only. */
export function dashboardGuard(use: { signIn: SignIn }): (request: Request) => Promise<void> {
  return async (request) => {
    requireSameOrigin(request);
    const cookie = readSessionCookie(request.headers.cookie);
    if (cookie === undefined || !(await use.signIn.isSignedIn(cookie))) {
      throw new HomeportError(
        'missing_auth_header',
        'This browser is not signed in. Open Homeport and choose "Open in browser".',
      );
    }
  };
}

function readSessionCookie(header: string | undefined): string | undefined {
  const prefix = `${SESSION_COOKIE}=`;
  const pair = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return pair?.slice(prefix.length) || undefined;
}
