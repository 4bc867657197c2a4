import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { refuseOwnApprovals, refuseOwnCollector, refuseOwnWebhooks } from '../platform/http/refuse-own-address.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { EnvironmentSettingsResponse } from './dashboard-settings.contract.ts';
import { changedToken } from './environment.contract.ts';
import type { Environment, Variable } from './environment.service.ts';
import { presentSettings, readSettingsChanges } from './environment-settings.present.ts';
import type { OtlpHeader } from './otlp-headers.ts';

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
      refuseOwnApprovals(body, own);
      const { connect_ui, variables, otlp_headers, known, ...rest } = body;
      const changes = { ...readSettingsChanges(rest), ...(connect_ui ? { connectUi: connect_ui } : {}) };
      const { allowedHosts: hosts } = changes;
      // Each list is completed from what is stored when the change is made: two pages may save at the same moment.
      const changed = await environments.change(
        environment.id,
        ({ allowedHosts }) => ({
          ...changes,
          ...(hosts ? { allowedHosts: completeHosts(allowedHosts, hosts, known?.allowed_hosts) } : {}),
        }),
        {
          variables: variables && ((stored) => completeVariables(stored, variables, known?.variables)),
          approvalsToken: changedToken(body),
          otlpHeaders: otlp_headers && ((stored) => completeHeaders(stored, otlp_headers, known?.otlp_headers)),
        },
      );
      return viewSettings(use, changed);
    },

    'GET /api/v1/settings/variable-use': async ({ environment: { id } }) => {
      const names = await environments.listVariableNames(id);
      const { used, missing } = await deployments.findVariableUses(id, names);
      return { used: viewUses(used), missing: viewUses(missing) };
    },

    'POST /api/v1/settings/signing-key': async ({ environment }) => {
      await environments.signingKeys.rotate(environment.id);
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
  const hasToken = await environments.approvalsToken.exists(id);
  return { ...presentSettings(settings, { variables: shown, otlpHeaders, hasToken }), connect_ui: settings.connectUi };
}

interface SentValue {
  name: string;
  value?: string | undefined;
  is_plain?: boolean | undefined;
}

function completeVariables(stored: Variable[], sent: SentValue[], known: string[] | undefined): Variable[] {
  const { kept, added } = complete({ stored, sent, known, keyOf: (name) => name }, (index) =>
    withoutValue('A new variable needs a value.', ['variables', String(index), 'value']),
  );
  return [...kept.map(({ name, value, is_plain }) => ({ name, value, isPlain: is_plain })), ...added];
}

function completeHeaders(stored: OtlpHeader[], sent: SentValue[], known: string[] | undefined): OtlpHeader[] {
  const { kept, added } = complete({ stored, sent, known, keyOf: (name) => name.toLowerCase() }, (index) =>
    withoutValue('A new header needs a value.', ['otlp_headers', String(index), 'value']),
  );
  return [...kept, ...added].map(({ name, value }) => ({ name, value }));
}

/** The sent hosts with those that were added elsewhere, and without those that were removed elsewhere. */
function completeHosts(stored: string[], sent: string[], known: string[] | undefined): string[] {
  if (!known) return sent;
  const kept = sent.filter((host) => stored.includes(host) || !known.includes(host));
  return [...kept, ...stored.filter((host) => !known.includes(host) && !kept.includes(host))];
}

interface Lists<Stored> {
  stored: Stored[];
  sent: SentValue[];
  /** Names that the page knew when its editing began. */
  known: string[] | undefined;
  keyOf(name: string): string;
}

/**
 * The page does not know secret values: what it sends without a value keeps the stored one. What another page or program
 * added since (its name is not in `known`) is kept, and what it removed since is not asked for.
 */
function complete<Stored extends { name: string; value: string }>(
  { stored, sent, known, keyOf }: Lists<Stored>,
  refusal: (index: number) => HomeportError,
): { kept: Array<SentValue & { value: string }>; added: Stored[] } {
  const values = new Map(stored.map(({ name, value }) => [keyOf(name), value]));
  const knownKeys = known && new Set(known.map(keyOf));
  const sentKeys = new Set(sent.map(({ name }) => keyOf(name)));
  const kept = sent.flatMap((one, index) => {
    const value = one.value ?? values.get(keyOf(one.name));
    if (value !== undefined) return [{ ...one, value }];
    if (knownKeys?.has(keyOf(one.name))) return [];
    throw refusal(index);
  });
  const isNew = (key: string): boolean => knownKeys?.has(key) === false && !sentKeys.has(key);
  return { kept, added: stored.filter(({ name }) => isNew(keyOf(name))) };
}

function withoutValue(message: string, path: string[]): HomeportError {
  return new HomeportError('invalid_body', 'The request is not valid.', {
    issues: [{ code: 'custom', message, path }],
  });
}
