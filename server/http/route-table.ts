import type { z } from 'zod';
import type { AuthMode } from '../catalog/provider-modes.ts';
import {
  apiKeyBody,
  awsBody,
  basicBody,
  billBody,
  clientCredentialsBody,
  noCredentialsBody,
  openBody,
  signatureBody,
  tbaBody,
} from '../contract/api/authorization.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { ActionsService } from '../services/actions/actions-service.ts';
import type { BackgroundActions } from '../services/actions/background-actions.ts';
import type { AuthorizationService } from '../services/authorization/authorization-service.ts';
import type { ConnectSessionsService } from '../services/connect-sessions/connect-sessions-service.ts';
import type { ConnectionsService } from '../services/connections/connections-service.ts';
import type { DeploymentsService } from '../services/deployments/deployments-service.ts';
import type { FunctionTemplates } from '../services/deployments/function-templates.ts';
import type { EnvironmentService } from '../services/environment/environment-service.ts';
import type { IncomingService } from '../services/incoming/incoming-service.ts';
import type { IntegrationsService } from '../services/integrations/integrations-service.ts';
import type { EnvironmentRemoval } from '../services/lifecycle/environment-removal.ts';
import type { FlatImports } from '../services/lifecycle/flat-imports.ts';
import type { LifecycleService } from '../services/lifecycle/lifecycle-service.ts';
import type { McpService } from '../services/mcp/mcp-service.ts';
import type { RecordsService } from '../services/records/records-service.ts';
import type { SyncSchedulesService } from '../services/sync-schedules/sync-schedules-service.ts';
import type { CatalogReader } from './catalog-reader.ts';
import { type FunctionTaskUse, functionTaskRoutes } from './function-task-routes.ts';
import type { Route } from './route.ts';
import { getActionResult } from './routes/actions/get-action-result.ts';
import { triggerAction } from './routes/actions/trigger-action.ts';
import { finishInstallation, finishRedirect } from './routes/auth/finish-redirect.ts';
import { prepareOutbound } from './routes/auth/prepare-outbound.ts';
import { startRedirect } from './routes/auth/start-redirect.ts';
import { submitCredentials } from './routes/auth/submit-credentials.ts';
import { createReconnectSession } from './routes/connect/create-reconnect-session.ts';
import { createSession } from './routes/connect/create-session.ts';
import { deleteSession } from './routes/connect/delete-session.ts';
import { getSession } from './routes/connect/get-session.ts';
import { receiveTelemetry } from './routes/connect/receive-telemetry.ts';
import { changeMetadata } from './routes/connections/change-metadata.ts';
import { changeOneMetadata } from './routes/connections/change-one-metadata.ts';
import { createConnection } from './routes/connections/create-connection.ts';
import { deleteConnection } from './routes/connections/delete-connection.ts';
import { getConnection } from './routes/connections/get-connection.ts';
import { importFlatConnection } from './routes/connections/import-flat-connection.ts';
import { listConnections } from './routes/connections/list-connections.ts';
import { patchConnection } from './routes/connections/patch-connection.ts';
import { createApiKey } from './routes/environment/create-api-key.ts';
import { createEnvironment } from './routes/environment/create-environment.ts';
import { deleteEnvironment } from './routes/environment/delete-environment.ts';
import { getSettings } from './routes/environment/get-settings.ts';
import { listApiKeys } from './routes/environment/list-api-keys.ts';
import { listEnvironments } from './routes/environment/list-environments.ts';
import { listVariables } from './routes/environment/list-variables.ts';
import { listMcpPolicies, setMcpPolicy } from './routes/environment/mcp-policies.ts';
import { patchSettings } from './routes/environment/patch-settings.ts';
import { revokeApiKey } from './routes/environment/revoke-api-key.ts';
import { rotateSigningKey } from './routes/environment/rotate-signing-key.ts';
import { callEndpoint } from './routes/functions/call-endpoint.ts';
import { deleteFunction } from './routes/functions/delete-function.ts';
import { confirmDeploy, deployFunctions } from './routes/functions/deploy-functions.ts';
import { getFunction } from './routes/functions/get-function.ts';
import { getFunctionCode } from './routes/functions/get-function-code.ts';
import { getScriptsConfig } from './routes/functions/get-scripts-config.ts';
import { listFunctions } from './routes/functions/list-functions.ts';
import { getHealth } from './routes/health/get-health.ts';
import { ignoreTelemetry } from './routes/health/ignore-telemetry.ts';
import { createIntegration } from './routes/integrations/create-integration.ts';
import { createQuickstartIntegration } from './routes/integrations/create-quickstart-integration.ts';
import { deleteIntegration } from './routes/integrations/delete-integration.ts';
import { getConfig } from './routes/integrations/get-config.ts';
import { getIntegration } from './routes/integrations/get-integration.ts';
import { listIntegrations } from './routes/integrations/list-integrations.ts';
import { updateIntegration } from './routes/integrations/update-integration.ts';
import { refuseMcpStream, serveMcp } from './routes/mcp/serve-mcp.ts';
import { getOpenApi } from './routes/openapi/get-openapi.ts';
import { getProvider } from './routes/providers/get-provider.ts';
import { getProvidersFile } from './routes/providers/get-providers-file.ts';
import { listProviders } from './routes/providers/list-providers.ts';
import { listTemplates } from './routes/providers/list-templates.ts';
import { type CallProxyUse, callProxy } from './routes/proxy/call-proxy.ts';
import { listRecords } from './routes/records/list-records.ts';
import { pruneRecords } from './routes/records/prune-records.ts';
import { changeSchedules } from './routes/syncs/change-schedules.ts';
import { createSyncVariant, deleteSyncVariant } from './routes/syncs/change-sync-variant.ts';
import { getSyncStatus } from './routes/syncs/get-sync-status.ts';
import { setSyncFrequency } from './routes/syncs/set-sync-frequency.ts';
import { triggerSync } from './routes/syncs/trigger-sync.ts';
import { admitWebhook, receiveWebhook, WEBHOOK_BODY_BYTES } from './routes/webhooks/receive-webhook.ts';

/** Everything the public routes use; each handler takes its part. */
export interface RouteServices extends CallProxyUse, FunctionTaskUse {
  clock: Clock;
  logger: Logger;
  authorization: AuthorizationService;
  catalog: CatalogReader;
  environments: EnvironmentService;
  environmentRemoval: EnvironmentRemoval;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  connectSessions: ConnectSessionsService;
  deployments: DeploymentsService;
  templates: FunctionTemplates;
  actions: ActionsService;
  background: BackgroundActions;
  mcp: McpService;
  lifecycle: LifecycleService;
  flatImports: FlatImports;
  schedules: SyncSchedulesService;
  records: RecordsService;
  incoming: IncomingService;
  /** Origin of addresses that providers call, without a trailing slash. */
  publicBase: () => string;
  /** Origin of pages and pictures, which only this computer is shown (design.md 7.28), without a trailing slash. */
  localBase: () => string;
  /** Origin at which people of this computer open the dashboard. */
  dashboardUrl: () => string;
  /** Of the program. */
  version: string;
}

/** Every public route: method, path, who may call, which scopes suffice, handler. Hot ones come first. */
export function publicRoutes(use: RouteServices): Route[] {
  return [
    {
      method: 'get',
      path: '/connections/:connectionId',
      access: 'key',
      scopes: scopes('connections:read', 'connections:read_credentials'),
      handler: getConnection(use),
    },
    {
      method: 'all',
      path: /^\/proxy(?:\/|$)/i,
      access: 'key',
      scopes: scopes('proxy'),
      takesBytes: true,
      handler: callProxy(use),
    },
    {
      method: 'post',
      path: '/action/trigger',
      access: 'key',
      scopes: scopes('actions:execute'),
      handler: triggerAction(use),
    },
    {
      method: 'get',
      path: '/action/:id',
      access: 'key',
      scopes: scopes('actions:execute'),
      handler: getActionResult(use),
    },
    { method: 'post', path: '/mcp', access: 'key', scopes: scopes('mcp'), handler: serveMcp(use) },
    { method: 'get', path: '/mcp', access: 'key', scopes: scopes('mcp'), handler: refuseMcpStream },
    { method: 'get', path: '/records', access: 'key', scopes: scopes('records:read'), handler: listRecords(use) },

    { method: 'get', path: '/health', access: 'public', handler: getHealth },
    { method: 'get', path: '/ready', access: 'public', handler: getHealth },
    { method: 'post', path: '/cli/telemetry', access: 'public', handler: ignoreTelemetry },
    { method: 'get', path: '/providers.json', access: 'public', handler: getProvidersFile(use) },
    { method: 'get', path: '/openapi.json', access: 'public', handler: getOpenApi(use) },

    {
      method: 'get',
      path: '/connections',
      access: 'key',
      scopes: scopes('connections:list', 'connections:list_credentials'),
      handler: listConnections(use),
    },
    {
      method: 'post',
      path: '/connections',
      access: 'key',
      scopes: scopes('connections:create'),
      handler: createConnection(use),
    },
    {
      method: 'post',
      path: '/connections/metadata',
      access: 'key',
      scopes: scopes('connections:update'),
      handler: changeMetadata(use, 'replace'),
    },
    {
      method: 'patch',
      path: '/connections/metadata',
      access: 'key',
      scopes: scopes('connections:update'),
      handler: changeMetadata(use, 'merge'),
    },
    {
      method: 'patch',
      path: '/connections/:connectionId',
      access: 'key',
      scopes: scopes('connections:update'),
      handler: patchConnection(use),
    },
    {
      method: 'delete',
      path: '/connections/:connectionId',
      access: 'key',
      scopes: scopes('connections:delete'),
      handler: deleteConnection(use),
    },

    {
      method: 'get',
      path: '/integrations',
      access: 'key-or-session',
      scopes: scopes('integrations:list', 'integrations:list_credentials'),
      handler: listIntegrations(use),
    },
    {
      method: 'post',
      path: '/integrations',
      access: 'key',
      scopes: scopes('integrations:create'),
      handler: createIntegration(use),
    },
    {
      method: 'post',
      path: '/integrations/quickstart',
      access: 'key',
      scopes: scopes('integrations:create'),
      handler: createQuickstartIntegration,
    },
    {
      method: 'get',
      path: '/integrations/:uniqueKey',
      access: 'key',
      scopes: scopes('integrations:read', 'integrations:read_credentials'),
      handler: getIntegration(use),
    },
    {
      method: 'patch',
      path: '/integrations/:uniqueKey',
      access: 'key',
      scopes: scopes('integrations:update'),
      handler: updateIntegration(use),
    },
    {
      method: 'delete',
      path: '/integrations/:uniqueKey',
      access: 'key',
      scopes: scopes('integrations:delete'),
      handler: deleteIntegration(use),
    },

    {
      method: 'get',
      path: '/integrations/:uniqueKey/functions',
      access: 'key',
      scopes: scopes('functions:list'),
      handler: listFunctions(use),
    },
    {
      method: 'get',
      path: '/integrations/:uniqueKey/functions/:name',
      access: 'key',
      scopes: scopes('functions:read'),
      handler: getFunction(use),
    },
    {
      method: 'get',
      path: '/integrations/:uniqueKey/functions/:name/code',
      access: 'key',
      scopes: scopes('functions:read'),
      handler: getFunctionCode(use),
    },
    {
      method: 'delete',
      path: '/integrations/:uniqueKey/functions/:name',
      access: 'key',
      scopes: scopes('functions:delete'),
      handler: deleteFunction(use),
    },
    ...functionTaskRoutes(use),

    {
      method: 'post',
      path: '/sync/deploy/confirmation',
      access: 'key',
      scopes: scopes('deploy'),
      handler: confirmDeploy(use),
    },
    { method: 'post', path: '/sync/deploy', access: 'key', scopes: scopes('deploy'), handler: deployFunctions(use) },
    {
      method: 'post',
      path: '/sync/trigger',
      access: 'key',
      scopes: scopes('syncs:execute'),
      handler: triggerSync(use),
    },
    {
      method: 'post',
      path: '/sync/start',
      access: 'key',
      scopes: scopes('syncs:execute'),
      handler: changeSchedules(use, 'start'),
    },
    {
      method: 'post',
      path: '/sync/pause',
      access: 'key',
      scopes: scopes('syncs:execute'),
      handler: changeSchedules(use, 'pause'),
    },
    { method: 'get', path: '/sync/status', access: 'key', scopes: scopes('syncs:read'), handler: getSyncStatus(use) },
    {
      method: 'put',
      path: '/sync/update-connection-frequency',
      access: 'key',
      scopes: scopes('syncs:update'),
      handler: setSyncFrequency(use),
    },
    {
      method: 'post',
      path: '/sync/:name/variant/:variant',
      access: 'key',
      scopes: scopes('syncs:variant:create'),
      handler: createSyncVariant(use),
    },
    {
      method: 'delete',
      path: '/sync/:name/variant/:variant',
      access: 'key',
      scopes: scopes('syncs:variant:delete'),
      handler: deleteSyncVariant(use),
    },
    {
      method: 'patch',
      path: '/records/prune',
      access: 'key',
      scopes: scopes('records:write'),
      handler: pruneRecords(use),
    },

    { method: 'get', path: '/providers', access: 'key-or-session', handler: listProviders(use) },
    { method: 'get', path: '/providers/:provider', access: 'key-or-session', handler: getProvider(use) },
    { method: 'get', path: '/providers/:provider/templates', access: 'key', handler: listTemplates(use) },
    {
      method: 'get',
      path: '/scripts/config',
      access: 'key',
      scopes: scopes('integrations:list_functions'),
      handler: getScriptsConfig(use),
    },
    {
      method: 'get',
      path: '/environment-variables',
      access: 'key',
      scopes: scopes('variables:read'),
      handler: listVariables(use),
    },

    {
      method: 'get',
      path: '/environment/settings',
      access: 'key',
      scopes: scopes('settings:read'),
      handler: getSettings(use),
    },
    {
      method: 'patch',
      path: '/environment/settings',
      access: 'key',
      scopes: scopes('settings:write'),
      handler: patchSettings(use),
    },
    {
      method: 'get',
      path: '/environment/mcp-policies',
      access: 'key',
      scopes: scopes('settings:read'),
      handler: listMcpPolicies(use),
    },
    {
      method: 'put',
      path: '/environment/mcp-policies',
      access: 'key',
      scopes: scopes('settings:write'),
      handler: setMcpPolicy(use),
    },
    {
      method: 'post',
      path: '/environment/webhook-signing-key/rotate',
      access: 'key',
      scopes: scopes('webhook_signing_key:rotate'),
      handler: rotateSigningKey(use),
    },
    // What makes keys takes a key that may do everything: a narrower one must not widen itself.
    { method: 'get', path: '/environments', access: 'key', scopes: scopes('*'), handler: listEnvironments(use) },
    { method: 'post', path: '/environments', access: 'key', scopes: scopes('*'), handler: createEnvironment(use) },
    {
      method: 'delete',
      path: '/environments/:id',
      access: 'key',
      scopes: scopes('*'),
      handler: deleteEnvironment(use),
    },
    { method: 'get', path: '/environment/api-keys', access: 'key', scopes: scopes('*'), handler: listApiKeys(use) },
    { method: 'post', path: '/environment/api-keys', access: 'key', scopes: scopes('*'), handler: createApiKey(use) },
    { method: 'delete', path: '/environment/api-keys', access: 'key', scopes: scopes('*'), handler: revokeApiKey(use) },

    {
      method: 'post',
      path: '/connect/sessions',
      access: 'key',
      scopes: scopes('connect_sessions:write'),
      handler: createSession(use),
    },
    {
      method: 'post',
      path: '/connect/sessions/reconnect',
      access: 'key',
      scopes: scopes('connect_sessions:write'),
      handler: createReconnectSession(use),
    },
    { method: 'get', path: '/connect/session', access: 'session', handler: getSession(use) },
    { method: 'delete', path: '/connect/session', access: 'session', handler: deleteSession(use) },
    { method: 'post', path: '/connect/telemetry', access: 'public', handler: receiveTelemetry(use) },

    {
      method: 'post',
      path: '/webhook/:environmentUuid/:providerConfigKey',
      access: 'public',
      admit: admitWebhook(use),
      takesBytes: true,
      bodyLimitBytes: WEBHOOK_BODY_BYTES,
      handler: receiveWebhook(use),
    },
    ...authorizationRoutes(use),
    ...replacedRoutes(use),

    // Last: whatever else begins with /v1 comes before it.
    { method: 'all', path: '/v1/*path', access: 'key', handler: callEndpoint(use) },
  ];
}

/** Where end users connect: the token of their session stands in the query (auth-and-connect.md 2.2). */
function authorizationRoutes(use: RouteServices): Route[] {
  const submit = (path: string, mode: AuthMode, body: z.ZodType<Record<string, unknown>>): Route => ({
    method: 'post',
    path: `${path}/:providerConfigKey`,
    access: 'public',
    handler: submitCredentials(use, { mode, body }),
  });
  return [
    { method: 'get', path: '/oauth/connect/:providerConfigKey', access: 'public', handler: startRedirect(use) },
    { method: 'get', path: '/oauth/callback', access: 'public', handler: finishRedirect(use) },
    { method: 'get', path: '/app-auth/connect', access: 'public', handler: finishInstallation(use) },
    submit('/api-auth/api-key', 'API_KEY', apiKeyBody),
    submit('/api-auth/basic', 'BASIC', basicBody),
    submit('/oauth2/auth', 'OAUTH2_CC', clientCredentialsBody),
    submit('/auth/unauthenticated', 'NONE', noCredentialsBody),
    submit('/auth/two-step', 'TWO_STEP', openBody),
    submit('/auth/jwt', 'JWT', openBody),
    submit('/auth/tba', 'TBA', tbaBody),
    submit('/auth/bill', 'BILL', billBody),
    submit('/auth/signature', 'SIGNATURE', signatureBody),
    submit('/auth/signature-based', 'SIGNATURE', signatureBody),
    submit('/auth/aws-sigv4', 'AWS_SIGV4', awsBody),
    {
      method: 'post',
      path: '/auth/oauth-outbound/:providerConfigKey',
      access: 'public',
      handler: prepareOutbound(use),
    },
  ];
}

/** Served although the specification removed them (http-api.md 5); they name what replaces them. */
function replacedRoutes(use: RouteServices): Route[] {
  return [
    {
      method: 'get',
      path: '/connection',
      access: 'key',
      scopes: scopes('connections:list', 'connections:list_credentials'),
      handler: listConnections(use),
      successor: '/connections',
    },
    {
      method: 'post',
      path: '/connection',
      access: 'key',
      scopes: scopes('connections:create'),
      handler: importFlatConnection(use),
      successor: '/connections',
    },
    {
      method: 'post',
      path: '/connection/metadata',
      access: 'key',
      scopes: scopes('connections:update'),
      handler: changeMetadata(use, 'replace'),
      successor: '/connections/metadata',
    },
    {
      method: 'patch',
      path: '/connection/metadata',
      access: 'key',
      scopes: scopes('connections:update'),
      handler: changeMetadata(use, 'merge'),
      successor: '/connections/metadata',
    },
    {
      method: 'get',
      path: '/connection/:connectionId',
      access: 'key',
      scopes: scopes('connections:read', 'connections:read_credentials'),
      handler: getConnection(use),
      successor: '/connections/:connectionId',
    },
    {
      method: 'delete',
      path: '/connection/:connectionId',
      access: 'key',
      scopes: scopes('connections:delete'),
      handler: deleteConnection(use),
      successor: '/connections/:connectionId',
    },
    {
      method: 'post',
      path: '/connection/:connectionId/metadata',
      access: 'key',
      scopes: scopes('connections:update'),
      handler: changeOneMetadata(use, 'replace'),
      successor: '/connections/metadata',
    },
    {
      method: 'patch',
      path: '/connection/:connectionId/metadata',
      access: 'key',
      scopes: scopes('connections:update'),
      handler: changeOneMetadata(use, 'merge'),
      successor: '/connections/metadata',
    },
    {
      method: 'get',
      path: '/config/:key',
      access: 'key',
      scopes: scopes('integrations:read', 'integrations:read_credentials'),
      handler: getConfig(use),
      successor: '/integrations/:key',
    },
  ];
}

function scopes(...names: string[]): string[] {
  return names.map((name) => `environment:${name}`);
}
