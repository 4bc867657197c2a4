import { telemetryBody } from '../../../contract/api/connect-sessions.ts';
import type { Clock } from '../../../lib/clock.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { ConnectSessionsService } from '../../../services/connect-sessions/connect-sessions-service.ts';
import { findSession, refused } from '../../middleware/authenticate.ts';
import type { Handler } from '../../route.ts';
import { validateBody } from '../../validate.ts';

/** Clocks of browsers may be wrong by this much (http-api.md 6). */
const TOLERANCE_MS = 2 * 3_600_000;

/** Sent as a beacon, which carries no headers: the token is in the body. */
export function receiveTelemetry(use: { connectSessions: ConnectSessionsService; clock: Clock }): Handler {
  return async (request) => {
    const { token } = (request.body ?? {}) as { token?: unknown };
    if (typeof token !== 'string' || token === '')
      throw refused('missing_auth_header', 'Send the token of the connect session in the body.');
    const session = await findSession(token, (value) => use.connectSessions.find(value));
    const body = validateBody(telemetryBody, request.body);
    if (Math.abs(body.timestamp.getTime() - use.clock.now()) > TOLERANCE_MS) {
      const message = 'The timestamp is more than two hours off.';
      throw new HomeportError('invalid_body', message, { issues: [{ code: 'custom', message, path: ['timestamp'] }] });
    }
    use.connectSessions.note(session, body);
    return { status: 204 };
  };
}
