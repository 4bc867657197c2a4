import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';

type Use = Pick<DashboardParts, 'integrations' | 'connections' | 'lifecycle'>;

/** The built-in provider that a first try needs no account for; it takes any key that starts with `practice-`. */
const PRACTICE = 'practice';
const CONNECTION_ID = 'practice-user';
const SAMPLE_KEY = 'practice-demo-key';

export function practiceRoutes(use: Use): DashboardHandlers<'POST /api/v1/practice'> {
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
  };
}
