import type { EnvironmentSettingsResponse } from '../../../contract/dashboard/dashboard-settings.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { presentSettings, readSettingsChanges } from '../../../present/environment-settings.ts';
import type { Environment, Variable } from '../../../services/environment/environment-service.ts';
import type { OtlpHeader } from '../../../services/environment/otlp-headers.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { refuseOwnCollector, refuseOwnWebhooks } from '../../refuse-own-address.ts';

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
      const own = { local: about.apiUrl(), public: about.publicBase() };
      refuseOwnWebhooks(body, own);
      refuseOwnCollector(body, own);
      const { connect_ui, variables, otlp_headers, ...rest } = body;
      const sealed = {
        variables: variables && (await completeVariables(use, environment, variables)),
        otlpHeaders: otlp_headers && (await completeHeaders(use, environment, otlp_headers)),
      };
      const changes = { ...readSettingsChanges(rest), ...(connect_ui ? { connectUi: connect_ui } : {}) };
      return viewSettings(use, await environments.change(environment.id, changes, sealed));
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
): Promise<EnvironmentSettingsResponse> {
  const shown = (await environments.listVariables(id)).map(({ name, value, isPlain = false }) => ({
    name,
    is_plain: isPlain,
    ...(isPlain ? { value } : {}),
  }));
  const otlpHeaders = (await environments.otlpHeaders.list(id)).map(({ name }) => ({ name }));
  return { ...presentSettings(settings, { variables: shown, otlpHeaders }), connect_ui: settings.connectUi };
}

/** The page does not know secret values. A variable that it sends without a value keeps the stored one. */
async function completeVariables(
  { environments }: Pick<Use, 'environments'>,
  { id }: Environment,
  sent: Array<{ name: string; value?: string | undefined; is_plain?: boolean | undefined }>,
): Promise<Variable[]> {
  const known = new Map((await environments.listVariables(id)).map(({ name, value }) => [name, value]));
  return sent.map(({ name, value, is_plain }, index) => {
    const kept = value ?? known.get(name);
    if (kept !== undefined) return { name, value: kept, isPlain: is_plain };
    throw withoutValue('A new variable needs a value.', ['variables', String(index), 'value']);
  });
}

async function completeHeaders(
  { environments }: Pick<Use, 'environments'>,
  { id }: Environment,
  sent: Array<{ name: string; value?: string | undefined }>,
): Promise<OtlpHeader[]> {
  const known = new Map(
    (await environments.otlpHeaders.list(id)).map(({ name, value }) => [name.toLowerCase(), value]),
  );
  return sent.map(({ name, value }, index) => {
    const kept = value ?? known.get(name.toLowerCase());
    if (kept !== undefined) return { name, value: kept };
    throw withoutValue('A new header needs a value.', ['otlp_headers', String(index), 'value']);
  });
}

function withoutValue(message: string, path: string[]): HomeportError {
  return new HomeportError('invalid_body', 'The request is not valid.', {
    issues: [{ code: 'custom', message, path }],
  });
}
