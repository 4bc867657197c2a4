import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { isoDate } from '../platform/lib/dates.ts';
import type { telemetryRouteShapes } from './dashboard-telemetry.contract.ts';

type Use = Pick<DashboardParts, 'telemetry'>;

export function telemetryRoutes({ telemetry }: Use): DashboardHandlers<keyof typeof telemetryRouteShapes> {
  return {
    'GET /api/v1/telemetry': ({ environment }) => {
      const { dropped, lastExport, problem, sent, waiting } = telemetry.stateOf(environment.id);
      return {
        sent,
        dropped,
        waiting,
        lastExport: lastExport && { at: isoDate(lastExport.at), spans: lastExport.spans },
        problem: problem && {
          at: isoDate(problem.at),
          message: problem.message,
          retryAt: problem.retryAt === null ? null : isoDate(problem.retryAt),
        },
      };
    },

    'POST /api/v1/telemetry/test': async ({ environment }) => {
      const { durationMs, outcome, traceId, url } = await telemetry.sendTest(environment);
      const { message = null, status = null } = outcome;
      const isAccepted = outcome.kind === 'accepted' && outcome.rejected === 0;
      return { isAccepted, url, traceId, status, durationMs, message };
    },
  };
}
