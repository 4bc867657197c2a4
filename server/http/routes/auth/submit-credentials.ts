import type { z } from 'zod';
import type { AuthMode } from '../../../catalog/provider-modes.ts';
import type { AuthorizationService } from '../../../services/authorization/authorization-service.ts';
import type { ConnectSessionsService } from '../../../services/connect-sessions/connect-sessions-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody } from '../../validate.ts';
import { readSession, readTarget } from './auth-caller.ts';

export interface SubmitUse {
  authorization: AuthorizationService;
  connectSessions: ConnectSessionsService;
}

/** A connection from what an end user entered: one handler for every mode without a redirect. */
export function submitCredentials(
  use: SubmitUse,
  { mode, body }: { mode: AuthMode; body: z.ZodType<Record<string, unknown>> },
): Handler {
  return async (request) => {
    const session = await readSession(use, request);
    const given = validateBody(body, request.body ?? {});
    const { integrationKey, params } = readTarget(request);
    const made = await use.authorization.submit({ integrationKey, session, params, mode, given });
    return ok({ connectionId: made.connectionId, providerConfigKey: made.integrationKey });
  };
}
