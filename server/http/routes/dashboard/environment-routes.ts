import type { EnvironmentRow } from '../../../contract/dashboard/dashboard-environment.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Environment } from '../../../services/environment/environment-service.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';

/** First segments of paths that the server answers itself (ui.md 2). */
const RESERVED_NAMES = new Set([
  'action',
  'api',
  'api-auth',
  'app',
  'app-auth',
  'assets',
  'auth',
  'cli',
  'connect',
  'connection',
  'connections',
  'environment',
  'environment-variables',
  'environments',
  'export',
  'functions',
  'health',
  'images',
  'import',
  'integrations',
  'mcp',
  'oauth',
  'providers',
  'proxy',
  'ready',
  'records',
  'scripts',
  'settings',
  'sync',
  'v1',
  'webhook',
  'welcome',
]);
const PRODUCTION = 'prod';

type Keys = 'GET /api/v1/meta' | 'POST /api/v1/environments';

export function environmentRoutes(
  use: Pick<DashboardParts, 'about' | 'environments' | 'createEnvironment'>,
): DashboardHandlers<Keys> {
  const { about, environments } = use;
  return {
    'GET /api/v1/meta': () => ({
      version: about.version,
      apiUrl: about.apiUrl(),
      callbackUrl: `${about.publicBase()}/oauth/callback`,
      functionsFolder: about.functionsFolder,
      environments: environments.list().map(viewEnvironment),
      health: about.health(),
    }),

    'POST /api/v1/environments': async ({ body: { name } }) => {
      if (RESERVED_NAMES.has(name)) {
        const message = `"${name}" is the name of a path of the server. Choose another one.`;
        throw new HomeportError('invalid_body', message, { issues: [{ code: 'custom', message, path: ['name'] }] });
      }
      if (environments.findByName(name))
        throw new HomeportError('conflict', `There is already an environment "${name}".`);
      return viewEnvironment(await use.createEnvironment(name));
    },
  };
}

function viewEnvironment({ name }: Environment): EnvironmentRow {
  return { name, isProduction: name === PRODUCTION };
}
