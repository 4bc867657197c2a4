import type { TemplateRow } from '../../../contract/dashboard/dashboard-functions.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TemplateOffer } from '../../../services/deployments/template-copies.ts';
import type { Environment } from '../../../services/environment/environment-service.ts';
import type { Integration } from '../../../services/integrations/integration.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';

type Use = Pick<DashboardParts, 'integrations' | 'templateCopies'>;
type Keys =
  | 'GET /api/v1/integrations/:integrationKey/templates'
  | 'POST /api/v1/integrations/:integrationKey/templates/:type/:name';

export function templateRoutes(use: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/integrations/:integrationKey/templates': async ({ environment, params }) => ({
      data: (await use.templateCopies.list(await find(use, environment, params.integrationKey))).map(viewTemplate),
    }),

    'POST /api/v1/integrations/:integrationKey/templates/:type/:name': async ({ environment, params }) =>
      use.templateCopies.add(await find(use, environment, params.integrationKey), params.type, params.name),
  };
}

async function find({ integrations }: Use, environment: Environment, key: string): Promise<Integration> {
  const integration = await integrations.find(environment.id, key);
  if (!integration) throw new HomeportError('not_found', `There is no integration "${key}".`);
  return integration;
}

function viewTemplate({ template, ...rest }: TemplateOffer): TemplateRow {
  const { definition, name, source } = template;
  if (definition.type === 'on-event') throw new Error('Templates that are offered are syncs and actions.');
  return { name, type: definition.type, description: definition.description ?? '', code: source, ...rest };
}
