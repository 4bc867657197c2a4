import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';

type Keys = 'POST /api/v1/command-runs' | 'DELETE /api/v1/command-runs/:runId';

export function commandRunsRoutes({ commandRuns }: Pick<DashboardParts, 'commandRuns'>): DashboardHandlers<Keys> {
  return {
    'POST /api/v1/command-runs': ({ body, environment }) => {
      const { allowedHosts: allowed, command, otherHosts: others, refusedHosts: refused, sessionId } = body;
      return commandRuns.open({
        environment,
        connections: body.connections.map(({ variables = [], ...connection }) => ({ ...connection, variables })),
        sessionId,
        command,
        limits: body.limits ?? {},
        hosts: { others, allowed, refused },
      });
    },

    'DELETE /api/v1/command-runs/:runId': async ({ environment, params }) => {
      await commandRuns.end(environment, params.runId);
      return { success: true };
    },
  };
}
