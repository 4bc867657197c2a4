import type { CatalogReader } from '../../../catalog/catalog-reader.ts';
import { configParams, configQuery } from '../../../contract/api/integrations.ts';
import { grants } from '../../../contract/api/key-scopes.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { presentConfig, presentConfigSecrets } from '../../../present/config.ts';
import { type ExtrasDeps, integrationExtras } from '../../../present/integration-extras.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import type { DeploymentsService } from '../../../services/deployments/deployments-service.ts';
import { type ApiRequest, type Handler, ok } from '../../route.ts';

export interface ConfigDeps extends ExtrasDeps {
  catalog: CatalogReader;
  connections: ConnectionsService;
  deployments: DeploymentsService;
}

/** Limit that includes every connection: the response has no pages. */
const ALL = 10_000;

/** The deprecated form of `GET /integrations/:uniqueKey` (http-api.md 5). */
export function getConfig(use: ConfigDeps): Handler {
  return async (request) => {
    const { id: environmentId } = request.environment;
    const key = configParams.safeParse(request.params);
    const integration = key.success ? await use.integrations.find(environmentId, key.data.key) : undefined;
    if (!integration)
      throw new HomeportError('unknown_provider_config', 'There is no such integration.', { payload: {} });
    const entry = use.catalog.find(integration.provider);
    if (!entry)
      throw new HomeportError('unknown_provider_template', use.catalog.explainMissing(integration.provider), {
        status: 400,
        payload: {},
      });

    const { uniqueKey } = integration;
    const config = presentConfig(integration, await use.deployments.list(environmentId, uniqueKey));
    if (!includesSecrets(request)) return ok({ config });
    const [extras, custom, connections] = await Promise.all([
      integrationExtras(use, { environmentId, uniqueKey, entry, include: ['webhook', 'credentials'] }),
      use.integrations.readCustom(environmentId, uniqueKey),
      use.connections.list({ environmentId, integrationKeys: [uniqueKey], limit: ALL, offset: 0 }),
    ]);
    return ok({ config: { ...config, ...presentConfigSecrets({ integration, entry, extras, custom, connections }) } });
  };
}

/** Without the scope the secrets are left out silently, as in the route that replaces this one. */
function includesSecrets({ caller, query: sent }: ApiRequest): boolean {
  return (
    configQuery.parse(sent).include_creds === 'true' &&
    grants(caller.scopes, 'environment:integrations:read_credentials')
  );
}
