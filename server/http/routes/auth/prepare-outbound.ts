import { noCredentialsBody } from '../../../contract/api/authorization.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody } from '../../validate.ts';
import { readSession, readTarget } from './auth-caller.ts';
import type { SubmitUse } from './submit-credentials.ts';

/** A connection that waits for the provider's marketplace to complete it (auth-and-connect.md 3.7, outbound). */
export function prepareOutbound(use: SubmitUse): Handler {
  return async (request) => {
    const session = await readSession(use, request);
    validateBody(noCredentialsBody, request.body ?? {});
    const { integrationKey, params } = readTarget(request);
    const made = await use.authorization.prepare({ integrationKey, session, params });
    return ok({ connectionId: made.connectionId, providerConfigKey: made.integrationKey });
  };
}
