import type { ConnectionEvents } from '../../connections/connections.service.ts';
import type { DestinationEvents } from '../../destinations/destinations.service.ts';
import type { PairingEvents } from '../../environments/app-pairings.ts';
import type { AuditEvents } from '../../environments/audit.service.ts';
import type { DeploymentChange } from '../../functions/deployments/deployed-function.ts';
import type { DriftEvents } from '../../functions/drift-watch.service.ts';
import type { RunEvents } from '../../functions/runs/runs.service.ts';
import type { EnvironmentEvents } from '../../lifecycle/environment-lifecycle.ts';
import type { LogEvents } from '../../log/log-events.ts';
import type { QuestionSent } from '../../mcp/answer-links.ts';
import type { ApprovalChange } from '../../mcp/mcp.service.ts';
import type { EventHub } from '../../platform/lib/event-hub.ts';
import type { SnapshotEvents } from '../../snapshots/snapshots.service.ts';
import type { SyncEvents } from '../../syncs/sync-events.ts';
import type { DeliveryEvents } from '../../webhooks-out/delivery-runner.ts';
import type { NotificationCentreEvents } from '../notification-centre.service.ts';

/** Events of the services for the dashboard. `health` has no data: listeners read the state again. */
export interface DashboardFacts
  extends LogEvents,
    ConnectionEvents,
    RunEvents,
    DriftEvents,
    SyncEvents,
    DeliveryEvents,
    DestinationEvents,
    SnapshotEvents,
    AuditEvents,
    PairingEvents,
    EnvironmentEvents,
    NotificationCentreEvents {
  function: DeploymentChange;
  approval: ApprovalChange;
  question_sent: QuestionSent;
}

export type DashboardFeed = Pick<EventHub<DashboardFacts>, 'on'>;
