import { findConnection } from '../connections/resolve-connection.api.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { HISTORY_DEFAULTS } from './dashboard-history.contract.ts';

type Use = Pick<DashboardParts, 'integrations' | 'connections' | 'deployments' | 'records'>;
type Keys =
  | 'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/versions'
  | 'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/diff'
  | 'GET /api/v1/connections/:integrationKey/:connectionId/history'
  | 'PUT /api/v1/functions/:integrationKey/sync/:name/history';

export function historyRoutes(use: Use): DashboardHandlers<Keys> {
  const { history } = use.records;
  return {
    'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/versions': async ({
      environment,
      params,
      query,
    }) => {
      const { connection } = await findConnection(use, environment, params);
      const { model, variant } = query;
      const versions = await history.versions({ connectionRowId: connection.id, model, variant }, params.recordId);
      if (versions.length === 0)
        throw new HomeportError('not_found', `There is no record "${params.recordId}" of the model "${model}".`);
      return { data: versions.map(({ jobId: _jobId, ...version }) => version) };
    },

    'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/diff': async ({
      environment,
      params,
      query,
    }) => {
      const { connection } = await findConnection(use, environment, params);
      const { model, variant, from, to } = query;
      return history.diff({ connectionRowId: connection.id, model, variant }, params.recordId, { from, to });
    },

    'GET /api/v1/connections/:integrationKey/:connectionId/history': async ({ environment, params, query }) => {
      const { integration, connection } = await findConnection(use, environment, params);
      const { model, variant } = query;
      const [bounds, measured, functions] = await Promise.all([
        history.find(integration.id, model),
        history.measure({ connectionRowId: connection.id, model, variant }),
        use.deployments.list(environment.id, params.integrationKey),
      ]);
      const sync = functions.find(({ definition }) => definition?.type === 'sync' && definition.output.includes(model));
      return { sync: sync?.name ?? null, isOn: bounds !== undefined, ...HISTORY_DEFAULTS, ...bounds, ...measured };
    },

    'PUT /api/v1/functions/:integrationKey/sync/:name/history': async ({ environment, params, body }) => {
      const { model, isOn, mostVersions, mostDays } = body;
      const integration = await use.integrations.find(environment.id, params.integrationKey);
      const sync = await use.deployments.find(environment.id, params.integrationKey, 'sync', params.name);
      const isDeclared = sync?.definition?.type === 'sync' && sync.definition.output.includes(model);
      if (!integration || !isDeclared)
        throw new HomeportError('not_found', `The sync "${params.name}" has no model "${model}".`);
      const bounds = { ...HISTORY_DEFAULTS, ...(await history.find(integration.id, model)) };
      if (mostVersions !== undefined) bounds.mostVersions = mostVersions;
      if (mostDays !== undefined) bounds.mostDays = mostDays;
      if (isOn) await history.keep(integration.id, model, bounds);
      else await history.stop(integration.id, model);
      return { isOn, ...bounds };
    },
  };
}
