import { callbackUrlOf } from '../../../contract/callback-page.ts';
import type { EnvironmentListItem } from '../../../contract/dashboard/dashboard-environment.ts';
import type { Environment } from '../../../services/environment/environment-service.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';

const PRODUCTION = 'prod';

type Keys = 'GET /api/v1/meta' | 'POST /api/v1/environments';

export function environmentRoutes(use: Pick<DashboardParts, 'about' | 'environments'>): DashboardHandlers<Keys> {
  const { about, environments } = use;
  return {
    'GET /api/v1/meta': () => ({
      version: about.version,
      apiUrl: about.apiUrl(),
      callbackUrl: callbackUrlOf(null, about.publicBase()),
      functionsFolder: about.functionsFolder,
      environments: environments.list().map(viewEnvironment),
      health: about.health(),
    }),

    'POST /api/v1/environments': async ({ body: { name } }) => viewEnvironment(await environments.create(name)),
  };
}

function viewEnvironment({ name }: Environment): EnvironmentListItem {
  return { name, isProduction: name === PRODUCTION };
}
