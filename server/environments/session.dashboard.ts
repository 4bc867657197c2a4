import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import {
  clearSessionCookie,
  readSessionCookie,
  requireSameOrigin,
  sessionIdOf,
  setSessionCookie,
} from '../dashboard/api/session-cookie.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';

type SessionRoutes =
  | 'POST /api/v1/session'
  | 'DELETE /api/v1/session'
  | 'GET /api/v1/sessions'
  | 'DELETE /api/v1/sessions'
  | 'DELETE /api/v1/sessions/:sessionId';

export function sessionRoutes({
  dashboardLogin,
}: Pick<DashboardParts, 'dashboardLogin'>): DashboardHandlers<SessionRoutes> {
  return {
    'POST /api/v1/session': async ({ body, http, response }) => {
      requireSameOrigin(http);
      const { client = 'browser', code } = body;
      const session = await dashboardLogin.redeem(code, {
        client,
        browser: describeBrowser(http.get('user-agent') ?? ''),
        replaces: readSessionCookie(http),
      });
      if (!session) {
        throw new HomeportError(
          'missing_auth_header',
          'The code is wrong, used or too old. Get a new one from the Homeport app, or run "npx homeport open" in the folder of Homeport.',
        );
      }
      setSessionCookie(response, session);
      return { success: true, csrfToken: session.csrfToken };
    },
    'DELETE /api/v1/session': async ({ response }) => {
      const own = sessionIdOf(response);
      await dashboardLogin.endSessions((id) => id === own);
      clearSessionCookie(response);
      return { success: true };
    },
    'GET /api/v1/sessions': async ({ response }) => {
      const own = sessionIdOf(response);
      const isoOf = (time: number): string => new Date(time).toISOString();
      const sessions = await dashboardLogin.listSessions();
      return {
        data: sessions.map(({ id, browser, createdAt, lastUsedAt, expiresAt }) => ({
          id,
          browser,
          isCurrent: id === own,
          createdAt: isoOf(createdAt),
          lastUsedAt: isoOf(lastUsedAt),
          expiresAt: isoOf(expiresAt),
        })),
      };
    },
    'DELETE /api/v1/sessions': async ({ response }) => {
      const own = sessionIdOf(response);
      return { ended: await dashboardLogin.endSessions((id) => id !== own) };
    },
    'DELETE /api/v1/sessions/:sessionId': async ({ params }) => {
      if ((await dashboardLogin.endSessions((id) => id === params.sessionId)) === 0)
        throw new HomeportError('not_found', 'This session has ended already.');
      return { success: true };
    },
  };
}

/** The first match wins, because most browsers also name other browsers for compatibility. */
const BROWSERS: ReadonlyArray<[RegExp, string]> = [
  [/ Electron\//, 'Homeport app'],
  [/ Edg\//, 'Edge'],
  [/ OPR\//, 'Opera'],
  [/ Firefox\//, 'Firefox'],
  [/ (?:Chrome|HeadlessChrome)\//, 'Chrome'],
  [/ Safari\//, 'Safari'],
];
const SYSTEMS: ReadonlyArray<[RegExp, string]> = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux|X11/, 'Linux'],
];

/** Returns for example "Firefox on Linux". */
function describeBrowser(userAgent: string): string {
  const nameIn = (list: typeof BROWSERS): string | undefined => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = nameIn(SYSTEMS);
  return `${nameIn(BROWSERS) ?? 'A browser'}${system === undefined ? '' : ` on ${system}`}`;
}
