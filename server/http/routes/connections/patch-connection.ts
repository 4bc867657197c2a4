import { connectionKeyQuery, connectionParams, patchConnectionBody } from '../../../contract/api/connections.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateParams, validateQuery } from '../../validate.ts';

export function patchConnection(use: { integrations: IntegrationsService; connections: ConnectionsService }): Handler {
  return async (request) => {
    const query = validateQuery(connectionKeyQuery, request.query);
    const body = validateBody(patchConnectionBody, request.body);
    const { connectionId } = validateParams(connectionParams, request.params);
    const integration = await use.integrations.find(request.environment.id, query.provider_config_key);
    if (!integration) {
      throw new HomeportError('unknown_provider_config', `There is no integration "${query.provider_config_key}".`);
    }
    const connection = await use.connections.find(integration, connectionId);
    if (!connection)
      throw new HomeportError('not_found', `There is no connection "${connectionId}" of this integration.`);
    await use.connections.patch(connection, body);
    return ok({ success: true });
  };
}
