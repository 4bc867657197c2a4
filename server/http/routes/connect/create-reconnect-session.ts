import { reconnectSessionBody } from '../../../contract/api/connect-sessions.ts';
import { empty } from '../../../contract/api/fields.ts';
import type { ConnectSessionsService } from '../../../services/connect-sessions/connect-sessions-service.ts';
import { presentIssuedSession } from '../../present/connect-session.ts';
import { created, type Handler } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';
import { connectOrigin } from './connect-origin.ts';

export function createReconnectSession(use: {
  connectSessions: ConnectSessionsService;
  localBase: () => string;
}): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(reconnectSessionBody, request.body);
    const issued = await use.connectSessions.createReconnect(request.environment, body);
    return created({ data: presentIssuedSession(issued, connectOrigin(request.environment, use.localBase())) });
  };
}
