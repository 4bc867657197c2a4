import { metadataBody } from '../../../contract/api/connections.ts';
import { empty } from '../../../contract/api/fields.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import type { Handler } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

/** POST replaces (201), PATCH merges the top level (200); both echo the body (http-api.md 4). */
export function changeMetadata(
  use: { integrations: IntegrationsService; connections: ConnectionsService },
  mode: 'replace' | 'merge',
): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(metadataBody, request.body);
    const integration = await use.integrations.find(request.environment.id, body.provider_config_key);
    await use.connections.changeMetadata(integration, [body.connection_id].flat(), body.metadata, mode);
    return { status: mode === 'replace' ? 201 : 200, body };
  };
}
