import { findIntegration } from '../connections/resolve-connection.api.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import type { describedFunctionsRouteShapes } from './dashboard-described-functions.contract.ts';
import { untilClosed } from './function-test.dashboard.ts';

type Use = Pick<DashboardParts, 'describedFunctions' | 'integrations'>;

/** Routes of functions that are written from an API description. */
export function describedFunctionRoutes(use: Use): DashboardHandlers<keyof typeof describedFunctionsRouteShapes> {
  return {
    'GET /api/v1/integrations/:integrationKey/api-description': async ({ environment, params }) => {
      const integration = await findIntegration(use, environment.id, params.integrationKey);
      return { address: (await use.describedFunctions.findAddress(integration)) ?? null };
    },

    'POST /api/v1/integrations/:integrationKey/api-description': async ({ environment, params, body, response }) => {
      await findIntegration(use, environment.id, params.integrationKey);
      return use.describedFunctions.read(body, untilClosed(response));
    },

    'POST /api/v1/integrations/:integrationKey/described-functions/preview': async ({
      environment,
      params,
      body: { operations, ...seen },
      response,
    }) => {
      const integration = await findIntegration(use, environment.id, params.integrationKey);
      return {
        functions: await use.describedFunctions.preview(integration, seen, operations, untilClosed(response)),
      };
    },

    'POST /api/v1/integrations/:integrationKey/described-functions': async ({
      environment,
      params,
      body: { operations, withTypes, ...seen },
      response,
    }) => {
      const integration = await findIntegration(use, environment.id, params.integrationKey);
      return use.describedFunctions.write(integration, seen, { operations, withTypes }, untilClosed(response));
    },
  };
}
