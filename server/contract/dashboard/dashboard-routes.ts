import type { z } from 'zod';
import { agentsRouteShapes } from '../../agents/dashboard-agents.contract.ts';
import { agentSignInRouteShapes } from '../../agents/sign-in/dashboard-sign-in.contract.ts';
import { callbackRouteShapes } from '../../authorization/dashboard-callback.contract.ts';
import { connectRouteShapes } from '../../authorization/dashboard-connect.contract.ts';
import { connectionsRouteShapes } from '../../connections/dashboard-connections.contract.ts';
import { aboutRouteShapes } from '../../dashboard/dashboard-about.contract.ts';
import { bulkRouteShapes } from '../../dashboard/dashboard-bulk.contract.ts';
import { notificationsRouteShapes } from '../../dashboard/dashboard-notifications.contract.ts';
import { overviewRouteShapes } from '../../dashboard/dashboard-overview.contract.ts';
import { playgroundRouteShapes } from '../../dashboard/dashboard-playground.contract.ts';
import { practiceRouteShapes } from '../../dashboard/dashboard-practice.contract.ts';
import { providerEntryRouteShapes } from '../../dashboard/dashboard-provider-entries.contract.ts';
import { dataRouteShapes } from '../../data/dashboard-data.contract.ts';
import { transferRouteShapes } from '../../data/dashboard-transfer.contract.ts';
import { undoRouteShapes } from '../../data/dashboard-undo.contract.ts';
import { recordDestinationRouteShapes } from '../../destinations/dashboard-destinations.contract.ts';
import { commandRunsRouteShapes } from '../../egress/dashboard-command-runs.contract.ts';
import { auditRouteShapes } from '../../environments/dashboard-audit.contract.ts';
import { environmentRouteShapes } from '../../environments/dashboard-environment.contract.ts';
import { keysRouteShapes } from '../../environments/dashboard-keys.contract.ts';
import { revealRouteShapes } from '../../environments/dashboard-reveal.contract.ts';
import { settingsRouteShapes } from '../../environments/dashboard-settings.contract.ts';
import { describedFunctionsRouteShapes } from '../../functions/dashboard-described-functions.contract.ts';
import { driftWatchRouteShapes } from '../../functions/dashboard-drift-watch.contract.ts';
import { functionTestsRouteShapes } from '../../functions/dashboard-function-tests.contract.ts';
import { functionsRouteShapes } from '../../functions/dashboard-functions.contract.ts';
import { integrationsRouteShapes } from '../../integrations/dashboard-integrations.contract.ts';
import { limitsRouteShapes } from '../../limits/dashboard-limits.contract.ts';
import { logsRouteShapes } from '../../log/dashboard-logs.contract.ts';
import { telemetryRouteShapes } from '../../log/dashboard-telemetry.contract.ts';
import { trafficRouteShapes } from '../../log/dashboard-traffic.contract.ts';
import { mcpRouteShapes } from '../../mcp/dashboard-mcp.contract.ts';
import { queriesRouteShapes } from '../../queries/dashboard-queries.contract.ts';
import { historyRouteShapes } from '../../records/dashboard-history.contract.ts';
import { recordsRouteShapes } from '../../records/dashboard-records.contract.ts';
import { snapshotRouteShapes } from '../../snapshots/dashboard-snapshots.contract.ts';
import { syncsRouteShapes } from '../../syncs/dashboard-syncs.contract.ts';
import { webhooksRouteShapes } from '../../webhooks-in/dashboard-webhooks.contract.ts';
import { outgoingWebhooksRouteShapes } from '../../webhooks-out/dashboard-outgoing-webhooks.contract.ts';
import { webhookDestinationRouteShapes } from '../../webhooks-out/dashboard-webhook-destinations.contract.ts';

export interface DashboardRoute {
  meaning: string;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  response: z.ZodType;
}

/**
 * The dashboard's private API: method and path → shapes. The rows are in the file of their noun. Path parameters are
 * URL-encoded, because connection ids may contain slashes. Every route needs the session cookie and its token in the
 * header `X-Homeport-Csrf`; `POST /session` accepts any value in this header. Routes other than GET also need a
 * same-origin `Origin`. Success is 200. Failures have the envelope of the public API (http-api.md 1.4); a missing or
 * ended session is 401. Unknown query members are refused.
 */
export const dashboardRoutes = {
  ...environmentRouteShapes,
  ...integrationsRouteShapes,
  ...driftWatchRouteShapes,
  ...connectionsRouteShapes,
  ...bulkRouteShapes,
  ...connectRouteShapes,
  ...practiceRouteShapes,
  ...callbackRouteShapes,
  ...syncsRouteShapes,
  ...recordsRouteShapes,
  ...historyRouteShapes,
  ...functionsRouteShapes,
  ...describedFunctionsRouteShapes,
  ...functionTestsRouteShapes,
  ...logsRouteShapes,
  ...trafficRouteShapes,
  ...overviewRouteShapes,
  ...playgroundRouteShapes,
  ...webhooksRouteShapes,
  ...mcpRouteShapes,
  ...limitsRouteShapes,
  ...queriesRouteShapes,
  ...recordDestinationRouteShapes,
  ...snapshotRouteShapes,
  ...agentsRouteShapes,
  ...commandRunsRouteShapes,
  ...agentSignInRouteShapes,
  ...outgoingWebhooksRouteShapes,
  ...settingsRouteShapes,
  ...telemetryRouteShapes,
  ...dataRouteShapes,
  ...aboutRouteShapes,
  ...keysRouteShapes,
  ...auditRouteShapes,
  ...notificationsRouteShapes,
  ...revealRouteShapes,
  ...providerEntryRouteShapes,
  ...transferRouteShapes,
  ...webhookDestinationRouteShapes,
  ...undoRouteShapes,
} as const satisfies Record<string, DashboardRoute>;

export type DashboardRoutes = typeof dashboardRoutes;
export type DashboardRouteKey = keyof DashboardRoutes;
