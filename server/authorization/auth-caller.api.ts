import { findSession, refusedKey } from '../platform/http/authenticate.ts';
import type { ApiRequest } from '../platform/http/route.ts';
import { validateParams, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { authCaller, authParams, authQuery } from './authorization.contract.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsService } from './connect-sessions.service.ts';

/** Resolves to the session whose token is in the query (auth-and-connect.md 2.1, step 1, and 7). */
export async function readSession(
  use: { connectSessions: ConnectSessionsService },
  request: ApiRequest,
): Promise<ConnectSession> {
  const { connect_session_token: token, public_key: publicKey } = validateQuery(authCaller, request.query);
  if (token) return findSession(token, (text) => use.connectSessions.find(text));
  if (publicKey) throw refusedKey('deprecated_authentication', 'Public keys are not accepted. Use a connect session.');
  throw refusedKey('missing_public_key', 'Send the token of a connect session as connect_session_token.');
}

/** Reads the integration and its parameters. Only the hub chooses the connection's id (auth-and-connect.md 2.1). */
export function readTarget(request: ApiRequest) {
  const { connection_id: connectionId, ...query } = validateQuery(authQuery, request.query);
  const { providerConfigKey: integrationKey } = validateParams(authParams, request.params);
  if (connectionId !== undefined) {
    throw new HomeportError('invalid_query_params', 'The connection id cannot be chosen.', {
      issues: [{ code: 'custom', path: ['connection_id'], message: 'With a connect session the hub chooses the id.' }],
    });
  }
  const { params = {}, credentials = {}, authorization_params: authorizationParams = {} } = query;
  return { integrationKey, params, credentials, authorizationParams };
}
