import { agentsRoutes } from '../../agents/agents.dashboard.ts';
import { agentSignInRoutes } from '../../agents/sign-in/sign-in.dashboard.ts';
import { callbackRoutes } from '../../authorization/callback.dashboard.ts';
import { connectRoutes } from '../../authorization/connect.dashboard.ts';
import { connectionRoutes } from '../../connections/connection.dashboard.ts';
import { environmentQuery } from '../../contract/dashboard/dashboard-lists.ts';
import type { DashboardRouteKey } from '../../contract/dashboard/dashboard-routes.ts';
import { dataRoutes } from '../../data/data.dashboard.ts';
import { deletionRoutes } from '../../data/deletion.dashboard.ts';
import { transferHandlers } from '../../data/transfer.dashboard.ts';
import { recordDestinationHandlers } from '../../destinations/record-destination.dashboard.ts';
import { commandRunsRoutes } from '../../egress/command-runs.dashboard.ts';
import { auditRoutes } from '../../environments/audit.dashboard.ts';
import type { DashboardLogin } from '../../environments/dashboard-login.ts';
import { environmentRoutes } from '../../environments/environment.dashboard.ts';
import type { EnvironmentService } from '../../environments/environment.service.ts';
import { keyRoutes } from '../../environments/key.dashboard.ts';
import { revealRoutes } from '../../environments/reveal.dashboard.ts';
import { sessionRoutes } from '../../environments/session.dashboard.ts';
import { settingsRoutes } from '../../environments/settings.dashboard.ts';
import { describedFunctionRoutes } from '../../functions/described-function.dashboard.ts';
import { driftWatchRoutes } from '../../functions/drift-watch.dashboard.ts';
import { functionRoutes } from '../../functions/function.dashboard.ts';
import { functionRunRoutes } from '../../functions/function-run.dashboard.ts';
import { functionTestRoutes } from '../../functions/function-test.dashboard.ts';
import { newFunctionRoutes } from '../../functions/new-function.dashboard.ts';
import { templateRoutes } from '../../functions/template.dashboard.ts';
import { importRoute } from '../../imports/import.dashboard.ts';
import { integrationRoutes } from '../../integrations/integration.dashboard.ts';
import { providerRoutes } from '../../integrations/provider.dashboard.ts';
import { limitsRoutes } from '../../limits/limits.dashboard.ts';
import { harRoutes } from '../../log/har.dashboard.ts';
import { logRoutes } from '../../log/log.dashboard.ts';
import { telemetryRoutes } from '../../log/telemetry.dashboard.ts';
import { trafficRoutes } from '../../log/traffic.dashboard.ts';
import { mcpRoutes } from '../../mcp/mcp.dashboard.ts';
import type { Handler, Route } from '../../platform/http/route.ts';
import { validateQuery } from '../../platform/http/validate.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { queriesRoutes } from '../../queries/queries.dashboard.ts';
import { exportRoutes } from '../../records/export.dashboard.ts';
import { historyRoutes } from '../../records/history.dashboard.ts';
import { recordLists, recordRoutes } from '../../records/record.dashboard.ts';
import { snapshotRoutes } from '../../snapshots/snapshots.dashboard.ts';
import { syncRoutes } from '../../syncs/sync.dashboard.ts';
import { webhookRoutes } from '../../webhooks-in/webhook.dashboard.ts';
import { outgoingWebhookRoutes } from '../../webhooks-out/outgoing-webhook.dashboard.ts';
import { webhookDestinationHandlers } from '../../webhooks-out/webhook-destination.dashboard.ts';
import { bulkRoutes } from '../bulk.dashboard.ts';
import { diagnosticsRoutes } from '../diagnostics.dashboard.ts';
import { filterRoutes } from '../filter.dashboard.ts';
import { notificationRoutes } from '../notification.dashboard.ts';
import { overviewRoutes } from '../overview.dashboard.ts';
import { playgroundRoutes } from '../playground.dashboard.ts';
import { practiceRoutes } from '../practice.dashboard.ts';
import { providerEntryHandlers } from '../provider-entry.dashboard.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import { type DashboardHandlers, toRoute } from './dashboard-route.ts';
import type { EventBroadcaster } from './event-broadcaster.ts';
import { sessionIdOf } from './session-cookie.ts';

/** Returns every route of the dashboard's private API: the rows of the contract's table and the event stream. */
export function createDashboardRoutes(use: DashboardParts, broadcaster: EventBroadcaster): Route[] {
  const records = recordLists(use);
  const handlers: DashboardHandlers = {
    ...sessionRoutes(use),
    ...environmentRoutes(use, broadcaster),
    ...providerRoutes(use),
    ...providerEntryHandlers(use),
    ...transferHandlers(use),
    ...integrationRoutes(use),
    ...driftWatchRoutes(use),
    ...callbackRoutes(use),
    ...connectRoutes(use),
    ...connectionRoutes(use),
    ...bulkRoutes(use),
    ...deletionRoutes(use),
    ...filterRoutes(use),
    ...practiceRoutes(use),
    ...syncRoutes(use),
    ...recordRoutes(use, records),
    ...historyRoutes(use),
    ...functionRoutes(use),
    ...newFunctionRoutes(use),
    ...describedFunctionRoutes(use),
    ...functionRunRoutes(use),
    ...functionTestRoutes(use),
    ...templateRoutes(use),
    ...logRoutes(use),
    ...trafficRoutes(use),
    ...overviewRoutes(use),
    ...harRoutes(use),
    ...playgroundRoutes(use),
    ...webhookRoutes(use),
    ...mcpRoutes(use),
    ...limitsRoutes(use),
    ...queriesRoutes(use),
    ...recordDestinationHandlers(use),
    ...snapshotRoutes(use),
    ...agentsRoutes(use),
    ...commandRunsRoutes(use),
    ...agentSignInRoutes(use),
    ...outgoingWebhookRoutes(use),
    ...webhookDestinationHandlers(use),
    ...settingsRoutes(use),
    ...telemetryRoutes(use),
    ...dataRoutes(use),
    ...diagnosticsRoutes(use),
    ...revealRoutes(use),
    ...keyRoutes(use),
    ...auditRoutes(use),
    ...notificationRoutes(use),
  };
  const events = streamEvents({ environments: use.environments, dashboardLogin: use.dashboardLogin, broadcaster });
  return [
    ...(Object.keys(handlers) as DashboardRouteKey[]).map((key) => row(handlers, key, use)),
    { method: 'get', path: '/api/v1/events', access: 'dashboard', handler: events },
    importRoute(use),
    ...exportRoutes(use, {
      ...handlers,
      'GET /api/v1/connections/:integrationKey/:connectionId/records': records.whole,
    }),
  ];
}

function row<K extends DashboardRouteKey>(handlers: DashboardHandlers, key: K, use: DashboardParts): Route {
  return toRoute(key, handlers[key], use);
}

/** `GET /api/v1/events`: writes the response itself, as long as the page is connected. */
function streamEvents(use: {
  environments: EnvironmentService;
  broadcaster: EventBroadcaster;
  dashboardLogin: DashboardLogin;
}): Handler {
  return ({ http, query, response }) => {
    const { env } = validateQuery(environmentQuery.strict(), query);
    const environment = use.environments.findByName(env);
    if (!environment) throw new HomeportError('not_found', `There is no environment "${env}".`);
    response.once(
      'close',
      use.dashboardLogin.onEnd(sessionIdOf(response), () => response.end()),
    );
    use.broadcaster.open(environment.id, response, http.get('last-event-id'));
    return undefined;
  };
}
