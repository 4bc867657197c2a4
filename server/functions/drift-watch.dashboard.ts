import { findIntegration } from '../connections/resolve-connection.api.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import type { ShownDriftWatch } from './dashboard-drift-watch.contract.ts';
import type { DriftWatchState } from './drift-watch.service.ts';

type Keys =
  | 'GET /api/v1/integrations/:integrationKey/drift-watch'
  | 'PUT /api/v1/integrations/:integrationKey/drift-watch'
  | 'POST /api/v1/integrations/:integrationKey/drift-watch/run'
  | 'DELETE /api/v1/integrations/:integrationKey/drift-watch';

export function driftWatchRoutes(use: Pick<DashboardParts, 'driftWatch' | 'integrations'>): DashboardHandlers<Keys> {
  const { driftWatch } = use;
  return {
    'GET /api/v1/integrations/:integrationKey/drift-watch': async ({ environment, params }) => {
      const { id } = await findIntegration(use, environment.id, params.integrationKey);
      return viewWatch(await driftWatch.find(id));
    },

    'PUT /api/v1/integrations/:integrationKey/drift-watch': async ({ environment, params, body }) => {
      const integration = await findIntegration(use, environment.id, params.integrationKey);
      await driftWatch.set(environment, integration, body.connectionId);
      return viewWatch(await driftWatch.find(integration.id));
    },

    'POST /api/v1/integrations/:integrationKey/drift-watch/run': async ({ environment, params }) =>
      viewWatch(await driftWatch.compareNow(await findIntegration(use, environment.id, params.integrationKey))),

    'DELETE /api/v1/integrations/:integrationKey/drift-watch': async ({ environment, params }) => {
      await driftWatch.remove(environment, await findIntegration(use, environment.id, params.integrationKey));
      return { success: true } as const;
    },
  };
}

function viewWatch(watch: DriftWatchState | undefined): ShownDriftWatch {
  const { changes = [], compared = null, skipped = [] } = watch?.report ?? {};
  return {
    connectionId: watch?.connectionId ?? null,
    nextAt: watch ? isoDate(watch.nextAt) : null,
    lastAt: isoDateOrNull(watch?.lastAt ?? null),
    problem: watch?.problem ?? null,
    compared,
    changes,
    skipped,
  };
}
