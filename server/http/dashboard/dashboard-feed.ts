import type { EventHub } from '../../lib/event-hub.ts';
import type { ConnectionEvents } from '../../services/connections/connections-service.ts';
import type { DeploymentChange } from '../../services/deployments/deployed-function.ts';
import type { LogEvents } from '../../services/logs/log-events.ts';
import type { ApprovalChange } from '../../services/mcp/mcp-service.ts';
import type { DeliveryEvents } from '../../services/notifications/delivery-runner.ts';
import type { RunEvents } from '../../services/runs/runs-service.ts';
import type { SyncEvents } from '../../services/syncs/syncs-options.ts';

/** What services tell as it happens, for the dashboard. `health` brings nothing: whoever hears it reads it anew. */
export interface DashboardFacts extends LogEvents, ConnectionEvents, RunEvents, SyncEvents, DeliveryEvents {
  function: DeploymentChange;
  approval: ApprovalChange;
}

export type DashboardFeed = Pick<EventHub<DashboardFacts>, 'on'>;
