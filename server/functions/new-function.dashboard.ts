import { findIntegration } from '../connections/resolve-connection.api.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';

type Use = Pick<DashboardParts, 'catalog' | 'functionWriter' | 'integrations'>;
type Keys =
  | 'GET /api/v1/integrations/:integrationKey/function-draft'
  | 'GET /api/v1/integrations/:integrationKey/function-prompt'
  | 'POST /api/v1/integrations/:integrationKey/functions';

/** Routes of functions that do not exist yet. */
export function newFunctionRoutes(use: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/integrations/:integrationKey/function-draft': async ({ environment, params, query }) => {
      const integration = await findIntegration(use, environment.id, params.integrationKey);
      return use.functionWriter.draft({ integration, type: query.type, name: query.name });
    },

    'GET /api/v1/integrations/:integrationKey/function-prompt': async ({ environment, params, query }) => {
      const integration = await findIntegration(use, environment.id, params.integrationKey);
      const { scopes = '' } = await use.integrations.readConfig(environment.id, integration.uniqueKey);
      const provider = { entry: use.catalog.find(integration.provider), scopes: scopes.split(',').filter(Boolean) };
      return { text: await use.functionWriter.prompt({ integration, type: query.type, name: query.name }, provider) };
    },

    'POST /api/v1/integrations/:integrationKey/functions': async ({ environment, params, body }) => {
      const integration = await findIntegration(use, environment.id, params.integrationKey);
      const { file, path } = await use.functionWriter.create({ integration, ...body });
      return { file, path };
    },
  };
}
