import type { EnvironmentSettingsAnswer } from '../../../contract/dashboard/dashboard-settings.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { presentSettings, readSettingsChanges } from '../../../present/environment-settings.ts';
import type { Environment, Variable } from '../../../services/environment/environment-service.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { refuseOwnWebhooks } from '../../refuse-own-address.ts';

type Use = Pick<DashboardParts, 'about' | 'deployments' | 'environments' | 'logger'>;
type Keys =
  | 'GET /api/v1/settings'
  | 'PATCH /api/v1/settings'
  | 'GET /api/v1/settings/variable-use'
  | 'POST /api/v1/settings/signing-key';

export function settingsRoutes(use: Use): DashboardHandlers<Keys> {
  const { about, deployments, environments, logger } = use;
  return {
    'GET /api/v1/settings': ({ environment }) => viewSettings(use, environment),

    'PATCH /api/v1/settings': async ({ environment, body }) => {
      refuseOwnWebhooks(body, { local: about.apiUrl(), public: about.publicBase() });
      const { connect_ui, variables, ...rest } = body;
      const complete = variables && (await completeVariables(use, environment, variables));
      const changes = { ...readSettingsChanges(rest), ...(connect_ui ? { connectUi: connect_ui } : {}) };
      return viewSettings(use, await environments.change(environment.id, changes, complete));
    },

    'GET /api/v1/settings/variable-use': async ({ environment: { id } }) => {
      const names = await environments.listVariableNames(id);
      const { used, missing } = await deployments.findVariableUses(id, names);
      return { used: viewUses(used), missing: viewUses(missing) };
    },

    'POST /api/v1/settings/signing-key': async ({ environment }) => {
      await environments.rotateSigningKey(environment.id);
      logger.info({ environment: environment.name }, 'the webhook signing key was replaced in the dashboard');
      return { success: true };
    },
  };
}

const viewUses = <Function>(uses: Map<string, Function[]>): Array<{ name: string; functions: Function[] }> =>
  [...uses].map(([name, functions]) => ({ name, functions }));

async function viewSettings(
  { environments }: Pick<Use, 'environments'>,
  { id, settings }: Environment,
): Promise<EnvironmentSettingsAnswer> {
  const shown = (await environments.listVariables(id)).map(({ name, value, isPlain = false }) => ({
    name,
    is_plain: isPlain,
    ...(isPlain ? { value } : {}),
  }));
  return { ...presentSettings(settings, shown), connect_ui: settings.connectUi };
}

/** The page knows no secret values: what it sends without a value is as it was. */
async function completeVariables(
  { environments }: Pick<Use, 'environments'>,
  { id }: Environment,
  sent: Array<{ name: string; value?: string | undefined; is_plain?: boolean | undefined }>,
): Promise<Variable[]> {
  const known = new Map((await environments.listVariables(id)).map(({ name, value }) => [name, value]));
  return sent.map(({ name, value, is_plain }, index) => {
    const kept = value ?? known.get(name);
    if (kept !== undefined) return { name, value: kept, isPlain: is_plain };
    throw new HomeportError('invalid_body', 'The request is not valid.', {
      issues: [
        { code: 'custom', message: 'A new variable needs a value.', path: ['variables', String(index), 'value'] },
      ],
    });
  });
}
