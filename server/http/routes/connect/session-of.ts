import type { ConnectSession } from '../../../services/connect-sessions/connect-session.ts';
import type { ApiRequest } from '../../route.ts';

/** The session of a route that takes session tokens only. */
export function sessionOf({ session, http }: ApiRequest): ConnectSession {
  if (!session) throw new Error(`The route of ${http.path} takes more than session tokens.`);
  return session;
}
