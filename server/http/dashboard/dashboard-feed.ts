import type { EventHub } from '../../lib/event-hub.ts';
import type { AuditEvents } from '../../services/audit/audit-service.ts';
import type { ConnectionEvents } from '../../services/connections/connections-service.ts';
import type { DeploymentChange } from '../../services/deployments/deployed-function.ts';
import type { PairingEvents } from '../../services/environment/app-pairings.ts';
import type { EnvironmentEvents } from '../../services/lifecycle/environment-lifecycle.ts';
import type { LogEvents } from '../../services/logs/log-events.ts';
import type { ApprovalChange } from '../../services/mcp/mcp-service.ts';
import type { NotificationCentreEvents } from '../../services/notification-centre/notification-centre-service.ts';
import type { DeliveryEvents } from '../../services/notifications/delivery-runner.ts';
import type { RunEvents } from '../../services/runs/runs-service.ts';
import type { SyncEvents } from '../../services/syncs/syncs-options.ts';

/** Events of the services for the dashboard. `health` has no data: listeners read the state again. */
export interface DashboardFacts
  extends LogEvents,
    ConnectionEvents,
    RunEvents,
    SyncEvents,
    DeliveryEvents,
    AuditEvents,
    PairingEvents,
    EnvironmentEvents,
    NotificationCentreEvents {
  function: DeploymentChange;
  approval: ApprovalChange;
}

export type DashboardFeed = Pick<EventHub<DashboardFacts>, 'on'>;
