import { environmentQuery } from '../../contract/dashboard/dashboard-lists.ts';
import type { DashboardRouteKey } from '../../contract/dashboard/dashboard-routes.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { DashboardLogin } from '../../services/environment/dashboard-login.ts';
import type { EnvironmentService } from '../../services/environment/environment-service.ts';
import type { Handler, Route } from '../route.ts';
import { auditRoutes } from '../routes/dashboard/audit-routes.ts';
import { bulkRoutes } from '../routes/dashboard/bulk-routes.ts';
import { callbackRoutes } from '../routes/dashboard/callback-routes.ts';
import { connectRoutes } from '../routes/dashboard/connect-routes.ts';
import { connectionRoutes } from '../routes/dashboard/connection-routes.ts';
import { dataRoutes } from '../routes/dashboard/data-routes.ts';
import { deletionRoutes } from '../routes/dashboard/deletion-routes.ts';
import { diagnosticsRoutes } from '../routes/dashboard/diagnostics-route.ts';
import { environmentRoutes } from '../routes/dashboard/environment-routes.ts';
import { exportRoutes } from '../routes/dashboard/export-routes.ts';
import { filterRoutes } from '../routes/dashboard/filter-routes.ts';
import { functionRoutes } from '../routes/dashboard/function-routes.ts';
import { functionRunRoutes } from '../routes/dashboard/function-run-routes.ts';
import { functionTestRoutes } from '../routes/dashboard/function-test-routes.ts';
import { harRoutes } from '../routes/dashboard/har-routes.ts';
import { historyRoutes } from '../routes/dashboard/history-routes.ts';
import { integrationRoutes } from '../routes/dashboard/integration-routes.ts';
import { keyRoutes } from '../routes/dashboard/key-routes.ts';
import { logRoutes } from '../routes/dashboard/log-routes.ts';
import { mcpRoutes } from '../routes/dashboard/mcp-routes.ts';
import { newFunctionRoutes } from '../routes/dashboard/new-function-routes.ts';
import { notificationRoutes } from '../routes/dashboard/notification-routes.ts';
import { outgoingWebhookRoutes } from '../routes/dashboard/outgoing-webhook-routes.ts';
import { overviewRoutes } from '../routes/dashboard/overview-routes.ts';
import { playgroundRoutes } from '../routes/dashboard/playground-routes.ts';
import { practiceRoutes } from '../routes/dashboard/practice-route.ts';
import { providerEntryHandlers } from '../routes/dashboard/provider-entry-routes.ts';
import { providerRoutes } from '../routes/dashboard/provider-routes.ts';
import { recordLists, recordRoutes } from '../routes/dashboard/record-routes.ts';
import { revealRoutes } from '../routes/dashboard/reveal-route.ts';
import { sessionRoutes } from '../routes/dashboard/session-routes.ts';
import { settingsRoutes } from '../routes/dashboard/settings-routes.ts';
import { syncRoutes } from '../routes/dashboard/sync-routes.ts';
import { telemetryRoutes } from '../routes/dashboard/telemetry-routes.ts';
import { templateRoutes } from '../routes/dashboard/template-routes.ts';
import { trafficRoutes } from '../routes/dashboard/traffic-routes.ts';
import { transferHandlers } from '../routes/dashboard/transfer-routes.ts';
import { webhookDestinationHandlers } from '../routes/dashboard/webhook-destination-routes.ts';
import { webhookRoutes } from '../routes/dashboard/webhook-routes.ts';
import { validateQuery } from '../validate.ts';
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
