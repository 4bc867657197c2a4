import { findIntegration } from '../connections/resolve-connection.api.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import type { TemplateRow, TriedTemplate } from './dashboard-functions.contract.ts';
import type { TemplateOffer } from './deployments/function-templates.ts';
import { schemaOf } from './function.dashboard.ts';
import { untilClosed } from './function-test.dashboard.ts';
import type { TriedRun } from './function-tests.service.ts';

type Use = Pick<DashboardParts, 'functionTests' | 'integrations' | 'templateCopies'>;
type Keys =
  | 'GET /api/v1/integrations/:integrationKey/templates'
  | 'POST /api/v1/integrations/:integrationKey/templates/:type/:name'
  | 'POST /api/v1/integrations/:integrationKey/templates/:type/:name/try';

/** Largest number of rows of a model that are sent to the page. */
const MAX_ROWS = 20;

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

    'POST /api/v1/integrations/:integrationKey/templates/:type/:name/try': async ({
      environment,
      params,
      response,
    }) => {
      const integration = await findIntegration(use, environment.id, params.integrationKey);
      const recorded = await use.templateCopies.find(integration, params.type, params.name);
      return viewTried(await use.functionTests.tryTemplate(recorded, integration.provider, untilClosed(response)));
    },
  };
}

function viewTemplate({ template, ...rest }: TemplateOffer): TemplateRow {
  const { definition, name, source } = template;
  if (definition.type === 'on-event') throw new Error('Templates that are offered are syncs and actions.');
  return {
    name,
    type: definition.type,
    description: definition.description ?? '',
    code: source,
    frequency: definition.type === 'sync' ? definition.runs : null,
    autoStart: definition.type === 'sync' && definition.auto_start,
    scopes: definition.scopes,
    inputSchema: definition.input === null ? null : schemaOf(definition, [definition.input]),
    outputSchema: schemaOf(definition, definition.output),
    ...rest,
  };
}

function viewTried({ actual, failure, input, requests, tookMs }: TriedRun): TriedTemplate {
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value, null, 2));
  const models = new Set([...Object.keys(actual?.batchSave ?? {}), ...Object.keys(actual?.batchDelete ?? {})]);
  return {
    error: failure ? { code: failure.code, message: failure.message } : null,
    durationMs: tookMs,
    requests,
    input: json(input),
    output: json(actual?.output),
    records: [...models].map((model) => {
      const saved = actual?.batchSave[model] ?? [];
      const deleted = actual?.batchDelete[model] ?? [];
      return {
        model,
        saved: saved.length,
        deleted: deleted.length,
        rows: JSON.stringify([...saved, ...deleted].slice(0, MAX_ROWS), null, 2),
      };
    }),
  };
}
