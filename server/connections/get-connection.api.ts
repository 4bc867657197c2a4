import { PEEK_HEADER } from '../contract/peek-header.ts';
import { grants } from '../environments/key-scopes.contract.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import { type Handler, ok } from '../platform/http/route.ts';
import { validateParams, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import { type ConnectionTexts, presentFullConnection } from './connection.present.ts';
import type { StoredConnection } from './connection.ts';
import { connectionParams, getConnectionQuery } from './connections.contract.ts';
import type { ConnectionsService } from './connections.service.ts';
import { findAddressedConnection } from './resolve-connection.api.ts';

export function getConnection(use: {
  integrations: IntegrationsService;
  connections: ConnectionsService;
  connectionTexts: ConnectionTexts;
}): Handler {
  return async (request) => {
    const query = validateQuery(getConnectionQuery, request.query);
    const { connectionId } = validateParams(connectionParams, request.params);
    const address = { uniqueKey: query.provider_config_key, connectionId };
    const { connection } = await findAddressedConnection(use, request.environment.id, address);

    if (!grants(request.caller.scopes, 'environment:connections:read_credentials')) {
      if (query.force_refresh || query.refresh_token || query.refresh_github_app_jwt_token) {
        throw new HomeportError('forbidden', 'The key may not read credentials.');
      }
      return ok(
        presentFullConnection({
          connection,
          credentials: {},
          config: connection.connectionConfig,
          withRefreshToken: false,
          form: 'get',
        }),
      );
    }
    const outcome = await use.connections.credentials.tryFetch(connection, {
      isForced: query.force_refresh,
      wantsAppJwt: query.refresh_github_app_jwt_token,
      isUpkeep: request.http.headers[PEEK_HEADER] !== undefined,
    });
    if (!outcome.ok) throw unusable(outcome.failure, outcome.connection);
    if (!query.refresh_token) return { status: 200, text: use.connectionTexts.of(outcome) };
    return ok(presentFullConnection({ ...outcome, withRefreshToken: true, form: 'get' }));
  };
}

/**
 * Answers with the status of the cause, one fixed code, and the connection without credentials (auth-and-connect.md
 * 4.6).
 */
function unusable(failure: HomeportError, connection: StoredConnection): HomeportError {
  const shown = presentFullConnection({
    connection,
    credentials: {},
    config: connection.connectionConfig,
    withRefreshToken: false,
    form: 'get',
  });
  const details = isJsonObject(failure.payload) ? failure.payload : {};
  return new HomeportError('invalid_credentials', failure.message, {
    status: failure.status,
    payload: { ...details, reason: failure.code, connection: shown },
  });
}
