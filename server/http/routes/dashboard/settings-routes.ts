import type { EnvironmentSettingsAnswer } from '../../../contract/dashboard/dashboard-settings.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { presentSettings, readSettingsChanges } from '../../../present/environment-settings.ts';
import type { Environment, Variable } from '../../../services/environment/environment-service.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { refuseOwnWebhooks } from '../../refuse-own-address.ts';

type Use = Pick<DashboardParts, 'about' | 'environments' | 'logger'>;
type Keys = 'GET /api/v1/settings' | 'PATCH /api/v1/settings' | 'POST /api/v1/settings/signing-key';

export function settingsRoutes(use: Use): DashboardHandlers<Keys> {
  const { about, environments, logger } = use;
  return {
    'GET /api/v1/settings': ({ environment }) => viewSettings(use, environment),

    'PATCH /api/v1/settings': async ({ environment, body }) => {
      refuseOwnWebhooks(body, { local: about.apiUrl(), public: about.publicBase() });
      const { variables, ...rest } = body;
      const complete = variables && (await completeVariables(use, environment, variables));
      return viewSettings(use, await environments.change(environment.id, readSettingsChanges(rest), complete));
    },

    'POST /api/v1/settings/signing-key': async ({ environment }) => {
      await environments.rotateSigningKey(environment.id);
      logger.info({ environment: environment.name }, 'the webhook signing key was replaced in the dashboard');
      return { success: true };
    },
  };
}

async function viewSettings({ environments }: Use, { id, settings }: Environment): Promise<EnvironmentSettingsAnswer> {
  const named = (await environments.listVariables(id)).map(({ name }) => ({ name }));
  return presentSettings(settings, named);
}

/** The page knows names only: what it sends without a value is as it was. */
async function completeVariables(
  { environments }: Use,
  { id }: Environment,
  sent: Array<{ name: string; value?: string | undefined }>,
): Promise<Variable[]> {
  const known = new Map((await environments.listVariables(id)).map(({ name, value }) => [name, value]));
  return sent.map(({ name, value }, index) => {
    const kept = value ?? known.get(name);
    if (kept !== undefined) return { name, value: kept };
    throw new HomeportError('invalid_body', 'The request does not fit.', {
      issues: [
        { code: 'custom', message: 'A new variable needs a value.', path: ['variables', String(index), 'value'] },
      ],
    });
  });
}
