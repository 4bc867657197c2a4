import { empty } from '../../../contract/api/fields.ts';
import type { ConnectSessionsService } from '../../../services/connect-sessions/connect-sessions-service.ts';
import type { Handler } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';
import { sessionOf } from './session-of.ts';

export function deleteSession(use: { connectSessions: ConnectSessionsService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    validateBody(empty, request.body ?? {});
    await use.connectSessions.remove(sessionOf(request));
    return { status: 204 };
  };
}
