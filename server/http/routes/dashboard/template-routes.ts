import type { TemplateRow } from '../../../contract/dashboard/dashboard-functions.ts';
import type { TemplateOffer } from '../../../services/deployments/template-copies.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { findIntegration } from '../../resolve-connection.ts';

type Use = Pick<DashboardParts, 'integrations' | 'templateCopies'>;
type Keys =
  | 'GET /api/v1/integrations/:integrationKey/templates'
  | 'POST /api/v1/integrations/:integrationKey/templates/:type/:name';

export function templateRoutes(use: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/integrations/:integrationKey/templates': async ({ environment, params }) => ({
      data: (await use.templateCopies.list(await findIntegration(use, environment.id, params.integrationKey))).map(
        viewTemplate,
      ),
    }),

    'POST /api/v1/integrations/:integrationKey/templates/:type/:name': async ({ environment, params }) =>
      use.templateCopies.add(
        await findIntegration(use, environment.id, params.integrationKey),
        params.type,
        params.name,
      ),
  };
}

function viewTemplate({ template, ...rest }: TemplateOffer): TemplateRow {
  const { definition, name, source } = template;
  if (definition.type === 'on-event') throw new Error('Templates that are offered are syncs and actions.');
  return { name, type: definition.type, description: definition.description ?? '', code: source, ...rest };
}
