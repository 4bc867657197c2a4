import { type AgentSessionsApiDeps, agentSessionsApi } from './agents/agent-sessions.api.ts';
import { type BuildEndpointDeps, buildEndpointApi } from './agents/build-endpoint.api.ts';
import { type SessionEndpointDeps, sessionEndpointApi } from './agents/session-endpoint.api.ts';
import { type FrontDoorDeps, frontDoorApi } from './agents/sign-in/front-door.api.ts';
import { type AgentSignInApiDeps, agentSignInApi } from './agents/sign-in/sign-in.api.ts';
import { type AuthApiDeps, authApi } from './authorization/auth.api.ts';
import { type ConnectSessionsApiDeps, connectSessionsApi } from './authorization/connect-sessions.api.ts';
import { type ConnectionsApiDeps, connectionsApi } from './connections/connections.api.ts';
import { type ReplacedConnectionsApiDeps, replacedConnectionsApi } from './connections/replaced-connections.api.ts';
import { type DestinationsApiDeps, destinationsApi } from './destinations/destinations.api.ts';
import { type EnvironmentApiDeps, environmentApi } from './environments/environment.api.ts';
import { type EnvironmentsApiDeps, environmentsApi } from './environments/environments.api.ts';
import { type PairingsApiDeps, pairingsApi } from './environments/pairings.api.ts';
import { type ActionsApiDeps, actionsApi } from './functions/actions.api.ts';
import { type FunctionEndpointsApiDeps, functionEndpointsApi } from './functions/function-endpoints.api.ts';
import { type FunctionTasksApiDeps, functionTasksApi } from './functions/function-tasks.api.ts';
import { type FunctionsApiDeps, functionsApi } from './functions/functions.api.ts';
import { type ImportsApiDeps, importsApi } from './imports/imports.api.ts';
import { type IntegrationsApiDeps, integrationsApi } from './integrations/integrations.api.ts';
import { type ProvidersApiDeps, providersApi } from './integrations/providers.api.ts';
import { type LimitsApiDeps, limitsApi } from './limits/limits.api.ts';
import { type McpApiDeps, mcpApi } from './mcp/mcp.api.ts';
import type { PublicRoute } from './platform/http/route.ts';
import { serverApi } from './platform/http/server-api.ts';
import { type ProxyApiDeps, proxyApi } from './proxy/proxy.api.ts';
import { type QueriesApiDeps, queriesApi } from './queries/queries.api.ts';
import { type SavedQueriesApiDeps, savedQueriesApi } from './queries/saved-queries.api.ts';
import { type RecordsApiDeps, recordsApi } from './records/records.api.ts';
import { type SyncsApiDeps, syncsApi } from './syncs/syncs.api.ts';
import { type WebhooksApiDeps, webhooksApi } from './webhooks-in/webhooks.api.ts';
import { type WebhookDestinationsApiDeps, webhookDestinationsApi } from './webhooks-out/webhook-destinations.api.ts';

/** The services of all public routes; each noun takes its part. */
export interface RouteServices
  extends ProvidersApiDeps,
    IntegrationsApiDeps,
    ConnectionsApiDeps,
    ConnectSessionsApiDeps,
    AuthApiDeps,
    ProxyApiDeps,
    ActionsApiDeps,
    FunctionEndpointsApiDeps,
    AgentSessionsApiDeps,
    SessionEndpointDeps,
    AgentSignInApiDeps,
    FrontDoorDeps,
    McpApiDeps,
    BuildEndpointDeps,
    LimitsApiDeps,
    SyncsApiDeps,
    RecordsApiDeps,
    QueriesApiDeps,
    DestinationsApiDeps,
    ImportsApiDeps,
    SavedQueriesApiDeps,
    FunctionsApiDeps,
    FunctionTasksApiDeps,
    WebhooksApiDeps,
    EnvironmentApiDeps,
    EnvironmentsApiDeps,
    WebhookDestinationsApiDeps,
    PairingsApiDeps,
    ReplacedConnectionsApiDeps {}

/** Returns every public route in the order of Express, which uses the first match. */
export function publicRoutes(use: RouteServices): PublicRoute[] {
  return describedRoutes(use).sort((a, b) => rank(a) - rank(b));
}

/** Returns every public route in the order of the OpenAPI document. */
export function describedRoutes(use: RouteServices): PublicRoute[] {
  const routes = (): PublicRoute[] => [
    ...providersApi(use),
    ...integrationsApi(use),
    ...connectionsApi(use),
    ...connectSessionsApi(use),
    ...authApi(use),
    ...proxyApi(use),
    ...actionsApi(use),
    ...functionEndpointsApi(use),
    ...agentSessionsApi(use),
    ...sessionEndpointApi(use),
    ...agentSignInApi(use),
    ...frontDoorApi(use),
    ...mcpApi(use),
    ...buildEndpointApi(use),
    ...syncsApi(use),
    ...recordsApi(use),
    ...queriesApi(use),
    ...destinationsApi(use),
    ...importsApi(use),
    ...savedQueriesApi(use),
    ...functionsApi(use),
    ...functionTasksApi(use),
    ...webhooksApi(use),
    ...environmentApi(use),
    ...limitsApi(use),
    ...environmentsApi(use),
    ...webhookDestinationsApi(use),
    ...pairingsApi(use),
    ...serverApi({ version: use.version, routes }),
    ...replacedConnectionsApi(use),
  ];
  return routes();
}

/** Sort order: most called routes first, then fixed paths, then paths with parameters, last paths with a wildcard. */
function rank({ isHot, path }: PublicRoute): number {
  if (isHot) return 0;
  return String(path).includes('*') ? 3 : String(path).includes(':') ? 2 : 1;
}
