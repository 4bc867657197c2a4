import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { isoDate } from '../platform/lib/dates.ts';
import type { commandRunsRouteShapes } from './dashboard-command-runs.contract.ts';

export function commandRunsRoutes({
  commandRuns,
}: Pick<DashboardParts, 'commandRuns'>): DashboardHandlers<keyof typeof commandRunsRouteShapes> {
  return {
    'GET /api/v1/command-runs': ({ environment }) => ({
      data: commandRuns.list(environment).map(({ connections, sessionId = null, startedAt, ...run }) => ({
        ...{ ...run, sessionId, startedAt: isoDate(startedAt) },
        connections: connections.map((one) => ({ ...one })),
      })),
    }),

    'POST /api/v1/command-runs/:runId/stop': async ({ environment, params }) => {
      await commandRuns.stopOne(environment, params.runId);
      return { success: true };
    },

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
