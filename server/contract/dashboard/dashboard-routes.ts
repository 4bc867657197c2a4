import type { z } from 'zod';
import { aboutRouteShapes } from './dashboard-about.ts';
import { auditRouteShapes } from './dashboard-audit.ts';
import { bulkRouteShapes } from './dashboard-bulk.ts';
import { callbackRouteShapes } from './dashboard-callback.ts';
import { connectRouteShapes } from './dashboard-connect.ts';
import { connectionsRouteShapes } from './dashboard-connections.ts';
import { dataRouteShapes } from './dashboard-data.ts';
import { environmentRouteShapes } from './dashboard-environment.ts';
import { functionTestsRouteShapes } from './dashboard-function-tests.ts';
import { functionsRouteShapes } from './dashboard-functions.ts';
import { historyRouteShapes } from './dashboard-history.ts';
import { integrationsRouteShapes } from './dashboard-integrations.ts';
import { keysRouteShapes } from './dashboard-keys.ts';
import { logsRouteShapes } from './dashboard-logs.ts';
import { mcpRouteShapes } from './dashboard-mcp.ts';
import { notificationsRouteShapes } from './dashboard-notifications.ts';
import { outgoingWebhooksRouteShapes } from './dashboard-outgoing-webhooks.ts';
import { overviewRouteShapes } from './dashboard-overview.ts';
import { playgroundRouteShapes } from './dashboard-playground.ts';
import { practiceRouteShapes } from './dashboard-practice.ts';
import { providerEntryRouteShapes } from './dashboard-provider-entries.ts';
import { recordsRouteShapes } from './dashboard-records.ts';
import { revealRouteShapes } from './dashboard-reveal.ts';
import { settingsRouteShapes } from './dashboard-settings.ts';
import { syncsRouteShapes } from './dashboard-syncs.ts';
import { telemetryRouteShapes } from './dashboard-telemetry.ts';
import { trafficRouteShapes } from './dashboard-traffic.ts';
import { transferRouteShapes } from './dashboard-transfer.ts';
import { undoRouteShapes } from './dashboard-undo.ts';
import { webhookDestinationRouteShapes } from './dashboard-webhook-destinations.ts';
import { webhooksRouteShapes } from './dashboard-webhooks.ts';

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
  ...connectionsRouteShapes,
  ...bulkRouteShapes,
  ...connectRouteShapes,
  ...practiceRouteShapes,
  ...callbackRouteShapes,
  ...syncsRouteShapes,
  ...recordsRouteShapes,
  ...historyRouteShapes,
  ...functionsRouteShapes,
  ...functionTestsRouteShapes,
  ...logsRouteShapes,
  ...trafficRouteShapes,
  ...overviewRouteShapes,
  ...playgroundRouteShapes,
  ...webhooksRouteShapes,
  ...mcpRouteShapes,
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
