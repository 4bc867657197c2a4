import { connectionId, integrationId, jsonObject } from '../../../contract/api/fields.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import type { ApiRequest, Handler } from '../../route.ts';
import { validateBody } from '../../validate.ts';

/** The deprecated routes whose body is the metadata itself (http-api.md 5): POST replaces, PATCH merges. */
export function changeOneMetadata(
  use: { integrations: IntegrationsService; connections: ConnectionsService },
  mode: 'replace' | 'merge',
): Handler {
  return async (request) => {
    const metadata = validateBody(jsonObject, request.body ?? {});
    const address = addressOf(request);
    const integration = await use.integrations.find(request.environment.id, address.providerConfigKey);
    const connection = integration && (await use.connections.find(integration, address.connectionId));
    if (!connection)
      throw new HomeportError('unknown_connection', 'There is no such connection.', { status: 404, payload: address });
    await use.connections.changeMetadata(integration, [address.connectionId], metadata, mode);
    return { status: mode === 'replace' ? 201 : 200, body: metadata };
  };
}

/** The integration is named in the query or by the header. */
function addressOf({ http, params, query }: ApiRequest): { connectionId: string; providerConfigKey: string } {
  const named = (query as Record<string, unknown>)['provider_config_key'] ?? http.headers['provider-config-key'];
  const providerConfigKey = integrationId.safeParse(named);
  if (!providerConfigKey.success) {
    throw new HomeportError('missing_provider_config', 'Name the integration: provider_config_key in the query.', {
      payload: {},
    });
  }
  const parsed = connectionId.safeParse(params['connectionId']);
  if (!parsed.success)
    throw new HomeportError('unknown_connection', 'There is no such connection.', { status: 404, payload: {} });
  return { connectionId: parsed.data, providerConfigKey: providerConfigKey.data };
}
