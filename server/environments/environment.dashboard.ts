import { callbackUrlOf } from '../contract/callback-page.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import type { EventBroadcaster } from '../dashboard/api/event-broadcaster.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { EnvironmentDetail, EnvironmentListItem } from './dashboard-environment.contract.ts';
import type { Environment } from './environment.service.ts';

type Use = Pick<
  DashboardParts,
  | 'about'
  | 'connections'
  | 'deployments'
  | 'environmentCopies'
  | 'environmentRemoval'
  | 'environments'
  | 'integrations'
  | 'logger'
>;
type Keys =
  | 'GET /api/v1/meta'
  | 'POST /api/v1/environments'
  | 'PUT /api/v1/environments/order'
  | 'GET /api/v1/environments/current'
  | 'PATCH /api/v1/environments/current'
  | 'DELETE /api/v1/environments/current';

export function environmentRoutes(
  use: Use,
  streams: Pick<EventBroadcaster, 'end' | 'lastId'>,
): DashboardHandlers<Keys> {
  const { about, environmentCopies, environmentRemoval, environments, logger } = use;
  const view = (environment: Environment): EnvironmentListItem => viewEnvironment(use, environment);
  return {
    'GET /api/v1/meta': () => ({
      version: about.version,
      apiUrl: about.apiUrl(),
      callbackUrl: callbackUrlOf(null, about.publicBase()),
      functionsFolder: about.functionsFolder,
      machine: { platform: process.platform, arch: process.arch },
      environments: environments.listInOrder().map(view),
      lastEventIds: Object.fromEntries(environments.list().map(({ id, name }) => [name, streams.lastId(id)])),
      health: about.health(),
    }),

    'POST /api/v1/environments': async ({ body: { name, copy } }) => {
      if (!copy) return view(await environments.create(name));
      const source = environments.findByName(copy.from);
      if (!source) throw new HomeportError('not_found', `There is no environment "${copy.from}".`);
      return view(await environmentCopies.copy(source, name, copy.parts));
    },

    'PUT /api/v1/environments/order': async ({ body }) => {
      await environments.reorder(body.names);
      return { success: true };
    },

    'GET /api/v1/environments/current': ({ environment }) => describeEnvironment(use, environment),

    'PATCH /api/v1/environments/current': async ({ environment, body }) => {
      const { name, isProduction, colour } = body;
      if (isProduction === false && !environments.rightsOf(environment).canRename)
        throw new HomeportError('invalid_body', `The environment "${environment.name}" is always a production one.`);
      if (name !== undefined) {
        await environments.rename(environment.id, name);
        streams.end(environment.id);
      }
      const changed = await environments.change(environment.id, {
        ...(isProduction === undefined ? {} : { isProduction }),
        ...(colour === undefined ? {} : { colour }),
      });
      logger.info({ environment: changed.name, was: environment.name }, 'an environment was changed in the dashboard');
      return view(changed);
    },

    'DELETE /api/v1/environments/current': async ({ environment, body }) => {
      if (body.name !== environment.name)
        throw new HomeportError('invalid_body', `Type "${environment.name}" to delete this environment.`);
      await environmentRemoval.remove(environment.id);
      logger.info({ environment: environment.name }, 'an environment was deleted in the dashboard');
      return { success: true };
    },
  };
}

async function describeEnvironment(use: Use, environment: Environment): Promise<EnvironmentDetail> {
  const { connections, deployments, environments, integrations } = use;
  const { id, settings } = environment;
  const [integrationRows, byStatus, functions, variables] = await Promise.all([
    integrations.list(id),
    connections.countByStatus({ environmentId: id }),
    deployments.countByIntegration(id),
    environments.listVariableNames(id),
  ]);
  return {
    ...viewEnvironment(use, environment),
    chosenColour: settings.colour,
    ...environments.rightsOf(environment),
    integrationCount: integrationRows.length,
    connectionCount: [...byStatus.values()].reduce((sum, count) => sum + count, 0),
    functionCount: [...functions.values()].reduce((sum, { total }) => sum + total, 0),
    variableCount: variables.length,
  };
}

const FURTHER_COLOURS = ['violet', 'blue', 'green', 'magenta'] as const;

/** Another colour than the first environment's for each further one, so that no two are taken for each other. */
const usualColour = ({ id }: Environment): EnvironmentListItem['colour'] =>
  id === 1 ? 'petrol' : (FURTHER_COLOURS[(id - 2) % FURTHER_COLOURS.length] ?? 'petrol');

function viewEnvironment({ environments }: Pick<Use, 'environments'>, environment: Environment): EnvironmentListItem {
  const isProduction = environments.isProduction(environment);
  return {
    name: environment.name,
    isProduction,
    colour: environment.settings.colour ?? (isProduction ? 'orange' : usualColour(environment)),
  };
}
