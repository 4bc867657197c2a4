import type { ConnectionsService } from '../connections/connections.service.ts';
import { presentConfig, presentConfigSecrets } from '../environments/config.present.ts';
import { grants } from '../environments/key-scopes.contract.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import { type ApiRequest, type Handler, ok } from '../platform/http/route.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { CatalogReader } from './catalog/catalog-reader.ts';
import { type ExtrasDeps, integrationExtras } from './integration-extras.present.ts';
import { configParams, configQuery } from './integrations.contract.ts';

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
