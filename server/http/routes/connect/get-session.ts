import { empty } from '../../../contract/api/fields.ts';
import type { ConnectSessionsService } from '../../../services/connect-sessions/connect-sessions-service.ts';
import { presentSession } from '../../present/connect-session.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';
import { sessionOf } from './session-of.ts';

export function getSession(use: { connectSessions: ConnectSessionsService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    validateBody(empty, request.body ?? {});
    const session = sessionOf(request);
    return ok({ data: presentSession(session, await use.connectSessions.getEndUser(session)) });
  };
}
