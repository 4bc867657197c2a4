import { HomeportError } from '../../../lib/homeport-error.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { requireSameOrigin } from '../../dashboard/same-origin.ts';
import { setSessionCookie } from '../../dashboard/session-cookie.ts';

export function sessionRoutes(use: Pick<DashboardParts, 'signIn'>): DashboardHandlers<'POST /api/v1/session'> {
  return {
    'POST /api/v1/session': async ({ body, http, response }) => {
      requireSameOrigin(http);
      const session = await use.signIn.redeem(body.code);
      if (!session) {
        throw new HomeportError(
          'missing_auth_header',
          'The code is wrong, used or too old. Get a new one from Homeport, or run "homeport open".',
        );
      }
      setSessionCookie(response, session);
      return { success: true };
    },
  };
}
