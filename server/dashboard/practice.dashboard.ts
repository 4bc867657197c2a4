import type { Environment } from '../environments/environment.service.ts';
import type { Integration } from '../integrations/integration.ts';
import { isoDate } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { DashboardParts } from './api/dashboard-parts.ts';
import type { DashboardHandlers } from './api/dashboard-route.ts';
import type { PracticeFailure } from './dashboard-practice.contract.ts';

type Use = Pick<
  DashboardParts,
  'catalog' | 'integrations' | 'connections' | 'lifecycle' | 'practiceClient' | 'practiceSimulation'
>;
type Keys =
  | 'POST /api/v1/practice'
  | 'POST /api/v1/practice/sign-in'
  | 'GET /api/v1/practice/failure'
  | 'PUT /api/v1/practice/failure'
  | 'DELETE /api/v1/practice/failure';

/** The built-in provider for a first try without an account. It accepts any key that starts with `practice-`. */
const PRACTICE = 'practice';
const CONNECTION_ID = 'practice-user';
const SAMPLE_KEY = 'practice-demo-key';
/** The entries with an authorization page, for which an integration needs the practice client. */
const DEFAULT_PROVIDER = 'practice-oauth2';
const AUTHORIZED_PROVIDERS: readonly string[] = [DEFAULT_PROVIDER, 'practice-oauth1'];

export function practiceRoutes(use: Use): DashboardHandlers<Keys> {
  return {
    'POST /api/v1/practice': async ({ environment }) => {
      const integration =
        (await use.integrations.find(environment.id, PRACTICE)) ??
        (await use.lifecycle.createIntegration(environment, { provider: PRACTICE, unique_key: PRACTICE }));
      if (!(await use.connections.find(integration, CONNECTION_ID))) {
        await use.lifecycle.importConnection(environment, {
          provider_config_key: PRACTICE,
          connection_id: CONNECTION_ID,
          credentials: { type: 'API_KEY', apiKey: SAMPLE_KEY },
        });
      }
      return { integrationKey: PRACTICE, connectionId: CONNECTION_ID };
    },

    'POST /api/v1/practice/sign-in': async ({ environment, body }) => {
      const found = await use.integrations.find(environment.id, body.integrationKey ?? DEFAULT_PROVIDER);
      if (found) await addClient(use, environment, found);
      else if (body.integrationKey === undefined) await createIntegration(use, environment);
      else throw new HomeportError('not_found', `There is no integration "${body.integrationKey}".`);
      return { integrationKey: body.integrationKey ?? DEFAULT_PROVIDER };
    },

    'GET /api/v1/practice/failure': () => ({ failure: viewFailure(use.practiceSimulation.current()) }),

    'PUT /api/v1/practice/failure': ({ body }) => ({
      failure: viewFailure(use.practiceSimulation.start(body.kind, body.minutes * MINUTE_MS)),
    }),

    'DELETE /api/v1/practice/failure': () => {
      use.practiceSimulation.end();
      return { success: true };
    },
  };
}

const MINUTE_MS = 60_000;

function viewFailure(running: ReturnType<Use['practiceSimulation']['current']>): PracticeFailure {
  return running
    ? { kind: running.kind, startedAt: isoDate(running.startedAt), endsAt: isoDate(running.endsAt) }
    : null;
}

async function createIntegration(
  { catalog, integrations, practiceClient }: Use,
  environment: Environment,
): Promise<void> {
  await integrations.createFromConfig(environment.id, {
    provider: DEFAULT_PROVIDER,
    uniqueKey: DEFAULT_PROVIDER,
    displayName: null,
    config: {
      ...clientConfig(practiceClient),
      scopes: catalog.find(DEFAULT_PROVIDER)?.default_scopes?.join(',') ?? '',
    },
  });
}

/** Adds the practice client unless the user has entered one. */
async function addClient({ integrations, practiceClient }: Use, environment: Environment, integration: Integration) {
  const { provider, uniqueKey } = integration;
  if (!AUTHORIZED_PROVIDERS.includes(provider))
    throw new HomeportError('conflict', `The integration "${uniqueKey}" belongs to another provider, ${provider}.`);
  const config = await integrations.readConfig(environment.id, uniqueKey);
  if (!config.client_id || !config.client_secret)
    await integrations.changeConfig(environment.id, uniqueKey, clientConfig(practiceClient));
}

function clientConfig({ id, secret }: Use['practiceClient']) {
  return { client_id: id, client_secret: secret };
}
