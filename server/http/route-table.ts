import type { ActionsService } from '../services/actions/actions-service.ts';
import type { BackgroundActions } from '../services/actions/background-actions.ts';
import type { ConnectionsService } from '../services/connections/connections-service.ts';
import type { DeploymentsService } from '../services/deployments/deployments-service.ts';
import type { EnvironmentService } from '../services/environment/environment-service.ts';
import type { IntegrationsService } from '../services/integrations/integrations-service.ts';
import type { LifecycleService } from '../services/lifecycle/lifecycle-service.ts';
import type { RecordsService } from '../services/records/records-service.ts';
import type { SyncSchedulesService } from '../services/sync-schedules/sync-schedules-service.ts';
import type { CatalogReader } from './catalog-reader.ts';
import type { Route } from './route.ts';
import { getActionResult } from './routes/actions/get-action-result.ts';
import { triggerAction } from './routes/actions/trigger-action.ts';
import { changeMetadata } from './routes/connections/change-metadata.ts';
import { createConnection } from './routes/connections/create-connection.ts';
import { deleteConnection } from './routes/connections/delete-connection.ts';
import { getConnection } from './routes/connections/get-connection.ts';
import { listConnections } from './routes/connections/list-connections.ts';
import { patchConnection } from './routes/connections/patch-connection.ts';
import { listVariables } from './routes/environment/list-variables.ts';
import { callEndpoint } from './routes/functions/call-endpoint.ts';
import { getScriptsConfig } from './routes/functions/get-scripts-config.ts';
import { getHealth } from './routes/health/get-health.ts';
import { ignoreTelemetry } from './routes/health/ignore-telemetry.ts';
import { createIntegration } from './routes/integrations/create-integration.ts';
import { deleteIntegration } from './routes/integrations/delete-integration.ts';
import { getIntegration } from './routes/integrations/get-integration.ts';
import { listIntegrations } from './routes/integrations/list-integrations.ts';
import { updateIntegration } from './routes/integrations/update-integration.ts';
import { getProvider } from './routes/providers/get-provider.ts';
import { getProvidersFile } from './routes/providers/get-providers-file.ts';
import { listProviders } from './routes/providers/list-providers.ts';
import { type CallProxyUse, callProxy } from './routes/proxy/call-proxy.ts';
import { listRecords } from './routes/records/list-records.ts';
import { pruneRecords } from './routes/records/prune-records.ts';
import { changeSchedules } from './routes/syncs/change-schedules.ts';
import { createSyncVariant, deleteSyncVariant } from './routes/syncs/change-sync-variant.ts';
import { getSyncStatus } from './routes/syncs/get-sync-status.ts';
import { setSyncFrequency } from './routes/syncs/set-sync-frequency.ts';
import { triggerSync } from './routes/syncs/trigger-sync.ts';

/** Everything the public routes use; each handler takes its part. */
export interface RouteServices extends CallProxyUse {
  catalog: CatalogReader;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  deployments: DeploymentsService;
  actions: ActionsService;
  background: BackgroundActions;
  lifecycle: LifecycleService;
  schedules: SyncSchedulesService;
  records: RecordsService;
  /** Origin of addresses that providers and callers see, without a trailing slash. */
  publicBase: () => string;
}

/** Every public route: method, path, who may call, which scopes suffice, handler. Hot ones come first. */
export function publicRoutes(use: RouteServices): Route[] {
  return [
    { method: 'get', path: '/health', access: 'public', handler: getHealth },
    { method: 'get', path: '/ready', access: 'public', handler: getHealth },
    { method: 'post', path: '/cli/telemetry', access: 'public', handler: ignoreTelemetry },
    { method: 'get', path: '/providers.json', access: 'public', handler: getProvidersFile(use) },

    { method: 'all', path: /^\/proxy(?:\/|$)/i, access: 'key', scopes: scopes('proxy'), handler: callProxy(use) },
    { method: 'get', path: '/connections/:connectionId', access: 'key', scopes: scopes('connections:read', 'connections:read_credentials'), handler: getConnection(use) },
    { method: 'post', path: '/action/trigger', access: 'key', scopes: scopes('actions:execute'), handler: triggerAction(use) },
    { method: 'get', path: '/action/:id', access: 'key', scopes: scopes('actions:execute'), handler: getActionResult(use) },
    { method: 'get', path: '/records', access: 'key', scopes: scopes('records:read'), handler: listRecords(use) },

    { method: 'get', path: '/connections', access: 'key', scopes: scopes('connections:list', 'connections:list_credentials'), handler: listConnections(use) },
    { method: 'post', path: '/connections', access: 'key', scopes: scopes('connections:create'), handler: createConnection(use) },
    { method: 'post', path: '/connections/metadata', access: 'key', scopes: scopes('connections:update'), handler: changeMetadata(use, 'replace') },
    { method: 'patch', path: '/connections/metadata', access: 'key', scopes: scopes('connections:update'), handler: changeMetadata(use, 'merge') },
    { method: 'patch', path: '/connections/:connectionId', access: 'key', scopes: scopes('connections:update'), handler: patchConnection(use) },
    { method: 'delete', path: '/connections/:connectionId', access: 'key', scopes: scopes('connections:delete'), handler: deleteConnection(use) },

    { method: 'get', path: '/integrations', access: 'key', scopes: scopes('integrations:list', 'integrations:list_credentials'), handler: listIntegrations(use) },
    { method: 'post', path: '/integrations', access: 'key', scopes: scopes('integrations:create'), handler: createIntegration(use) },
    { method: 'get', path: '/integrations/:uniqueKey', access: 'key', scopes: scopes('integrations:read', 'integrations:read_credentials'), handler: getIntegration(use) },
    { method: 'patch', path: '/integrations/:uniqueKey', access: 'key', scopes: scopes('integrations:update'), handler: updateIntegration(use) },
    { method: 'delete', path: '/integrations/:uniqueKey', access: 'key', scopes: scopes('integrations:delete'), handler: deleteIntegration(use) },

    { method: 'post', path: '/sync/trigger', access: 'key', scopes: scopes('syncs:execute'), handler: triggerSync(use) },
    { method: 'post', path: '/sync/start', access: 'key', scopes: scopes('syncs:execute'), handler: changeSchedules(use, 'start') },
    { method: 'post', path: '/sync/pause', access: 'key', scopes: scopes('syncs:execute'), handler: changeSchedules(use, 'pause') },
    { method: 'get', path: '/sync/status', access: 'key', scopes: scopes('syncs:read'), handler: getSyncStatus(use) },
    { method: 'put', path: '/sync/update-connection-frequency', access: 'key', scopes: scopes('syncs:update'), handler: setSyncFrequency(use) },
    { method: 'post', path: '/sync/:name/variant/:variant', access: 'key', scopes: scopes('syncs:variant:create'), handler: createSyncVariant(use) },
    { method: 'delete', path: '/sync/:name/variant/:variant', access: 'key', scopes: scopes('syncs:variant:delete'), handler: deleteSyncVariant(use) },
    { method: 'patch', path: '/records/prune', access: 'key', scopes: scopes('records:write'), handler: pruneRecords(use) },

    { method: 'get', path: '/providers', access: 'key', handler: listProviders(use) },
    { method: 'get', path: '/providers/:provider', access: 'key', handler: getProvider(use) },
    { method: 'get', path: '/scripts/config', access: 'key', scopes: scopes('integrations:list_functions'), handler: getScriptsConfig(use) },
    { method: 'get', path: '/environment-variables', access: 'key', scopes: scopes('variables:read'), handler: listVariables(use) },

    // Last: whatever else begins with /v1 comes before it.
    { method: 'all', path: '/v1/*path', access: 'key', handler: callEndpoint(use) },
  ];
}

function scopes(...names: string[]): string[] {
  return names.map((name) => `environment:${name}`);
}
